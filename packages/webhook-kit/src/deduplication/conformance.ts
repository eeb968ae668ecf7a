import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { AcquireResult, Deduplication } from "./deduplication.ts";

/** Long enough that nothing ends while a case is at work, and short enough to be waited for. */
const [longMs, shortMs] = [60_000, 50];

/** How long a short lease may take to end: the clock of a store elsewhere may be a coarse one. */
const patienceMs = 5_000;

/**
 * What every receipts store must do, for tests of your own store with any runner. Keys are made up, so that the cases may
 * run against a store that others use. Each takes less than a second, on a clock that moves by itself. A store that leaves
 * `subject` aside on purpose fails those whose name says so.
 *
 * @param createStore asked once for each case; may answer the same store each time
 *
 * @example
 * ```ts
 * import { test } from "node:test";
 * import { memoryDeduplication } from "@offers/webhook-kit";
 * import { deduplicationConformance } from "@offers/webhook-kit/testing";
 *
 * for (const { name, run } of deduplicationConformance(() => memoryDeduplication())) test(name, run);
 * ```
 */
export function deduplicationConformance(createStore: () => Deduplication | Promise<Deduplication>): readonly {
  readonly name: string;
  /** Rejects when the store does not do so. */
  readonly run: () => Promise<void>;
}[] {
  return Object.entries(cases).map(([name, run]) => ({ name, run: async () => run(new Trial(await createStore())) }));
}

/** One store, and what the cases ask of it. */
class Trial {
  readonly #store: Deduplication;

  constructor(store: Deduplication) {
    this.#store = store;
  }

  acquire = async (key: string, leaseMs = longMs, subject?: string): Promise<AcquireResult> =>
    this.#store.acquire(key, subject === undefined ? { leaseMs } : { leaseMs, subject });

  /** Claims what must be free. */
  async take(key: string, leaseMs = longMs, subject?: string): Promise<string> {
    const result = await this.acquire(key, leaseMs, subject);
    assert.equal(result.state, "acquired", "a key that nobody holds must be claimed");
    assert.ok(result.state === "acquired" && typeof result.token === "string" && result.token, "a claim has a token");
    return result.token;
  }

  complete = async (key: string, token: string, status = 200, keepMs = longMs): Promise<void> =>
    this.#store.complete(key, token, status, keepMs);

  release = async (key: string, token: string): Promise<void> => this.#store.release(key, token);

  async done(key: string, status = 200, subject?: string): Promise<void> {
    await this.complete(key, await this.take(key, longMs, subject), status);
  }

  /** Claims until it gets the key: then what was there has ended. */
  async takeOnceFree(key: string, leaseMs = longMs, subject?: string): Promise<string> {
    const result = await until(
      () => this.acquire(key, leaseMs, subject),
      ({ state }) => state === "acquired",
    );
    return result.state === "acquired" ? result.token : "";
  }
}

async function until<T>(send: () => Promise<T>, isSo: (response: T) => boolean): Promise<T> {
  const deadline = Date.now() + patienceMs;
  for (;;) {
    const response = await send();
    if (isSo(response)) return response;
    assert.ok(Date.now() < deadline, `what ended after ${shortMs} ms still holds its key after ${patienceMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const isDone = (acquire: AcquireResult, status: number, message: string): void =>
  assert.deepEqual(acquire, { state: "completed", status }, message);

const stateOf = ({ state }: AcquireResult): string => state;

const cases: Readonly<Record<string, (store: Trial) => Promise<void>>> = {
  async "a key is claimed once, and until then tells when to come again"(store) {
    const key = randomUUID();
    await store.take(key);
    const second = await store.acquire(key);
    assert.equal(second.state, "inProgress", "a key that is held must not be claimed again");
    assert.ok(
      second.state === "inProgress" && second.retryAfterMs > 0 && second.retryAfterMs <= longMs,
      "retryAfterMs is what is left of the lease",
    );
  },

  async "of a hundred claims at once, one gets the key"(store) {
    const key = randomUUID();
    const results = await Promise.all(Array.from({ length: 100 }, () => store.acquire(key)));
    assert.equal(results.filter(({ state }) => state === "acquired").length, 1);
    assert.equal(results.filter(({ state }) => state === "inProgress").length, 99);
  },

  async "keys do not disturb one another"(store) {
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const tokens = await Promise.all(keys.map((key) => store.take(key)));
    assert.equal(new Set(tokens).size, keys.length, "no two claims have the same token");
    await store.complete(String(keys[0]), String(tokens[0]));
    await store.release(String(keys[1]), String(tokens[1]));
    assert.equal(stateOf(await store.acquire(String(keys[0]))), "completed");
    assert.equal(stateOf(await store.acquire(String(keys[1]))), "acquired");
    assert.equal(stateOf(await store.acquire(String(keys[2]))), "inProgress");
  },

  async "a completed key answers the status that it was completed with"(store) {
    for (const status of [200, 204, 418]) {
      const key = randomUUID();
      await store.done(key, status);
      isDone(await store.acquire(key), status, "the status is kept");
      isDone(await store.acquire(key), status, "to ask is not to forget");
    }
  },

  async "a receipt ends when its time is over"(store) {
    const key = randomUUID();
    await store.complete(key, await store.take(key), 200, shortMs);
    await store.takeOnceFree(key);
  },

  async "a receipt outlives the lease of its claim"(store) {
    const [key, other] = [randomUUID(), randomUUID()];
    // Time enough to complete it, however busy the machine is.
    const leaseMs = 10 * shortMs;
    await store.complete(key, await store.take(key, leaseMs));
    await store.take(other, leaseMs);
    await store.takeOnceFree(other);
    isDone(await store.acquire(key), 200, "keepMs counts, not leaseMs");
  },

  async "a released key is free at once"(store) {
    const key = randomUUID();
    const first = await store.take(key);
    await store.release(key, first);
    assert.notEqual(await store.take(key), first, "each claim has a token of its own");
  },

  async "a lease that ran out is free again"(store) {
    const key = randomUUID();
    await store.take(key, shortMs);
    await store.takeOnceFree(key);
  },

  async "of a hundred claims of a lease that ran out, one gets the key"(store) {
    const key = randomUUID();
    await store.take(key, shortMs);
    const results = await until(
      () => Promise.all(Array.from({ length: 100 }, () => store.acquire(key))),
      (responses) => responses.some(({ state }) => state === "acquired"),
    );
    assert.equal(results.filter(({ state }) => state === "acquired").length, 1);
  },

  async "a holder past its lease overwrites nothing that is newer"(store) {
    const key = randomUUID();
    const slow = await store.take(key, shortMs);
    const newer = await store.takeOnceFree(key);
    await store.complete(key, slow, 500);
    assert.equal(stateOf(await store.acquire(key)), "inProgress", "a stale token must not complete");
    await store.release(key, slow);
    assert.equal(stateOf(await store.acquire(key)), "inProgress", "a stale token must not release");
    await store.complete(key, newer);
    await store.complete(key, slow, 500);
    await store.release(key, slow);
    isDone(await store.acquire(key), 200, "the newer result stands");
  },

  async "a token of one key is none of another"(store) {
    const [key, other] = [randomUUID(), randomUUID()];
    await store.take(key);
    const token = await store.take(other);
    await store.release(key, token);
    assert.equal(stateOf(await store.acquire(key)), "inProgress");
    await store.complete(key, token);
    assert.equal(stateOf(await store.acquire(key)), "inProgress");
  },

  async "what is done is not undone by its own token"(store) {
    const key = randomUUID();
    const token = await store.take(key);
    await store.complete(key, token);
    await store.release(key, token);
    await store.complete(key, token, 500);
    isDone(await store.acquire(key), 200, "a receipt is written once");
  },

  async "a receipt counts until another about the same subject is completed"(store) {
    const [subject, accepted, rejected] = [randomUUID(), randomUUID(), randomUUID()];
    await store.done(accepted, 200, subject);
    assert.equal(stateOf(await store.acquire(accepted, longMs, subject)), "completed", "a repeat is a repeat");
    const token = await store.take(rejected, longMs, subject);
    assert.equal(stateOf(await store.acquire(accepted, longMs, subject)), "completed", "until the other is completed");
    await store.complete(rejected, token);
    await store.done(accepted, 200, subject);
    assert.equal(stateOf(await store.acquire(accepted, longMs, subject)), "completed");
    await store.done(rejected, 200, subject);
  },

  async "a receipt that counts no longer is claimed anew as any other, also of its subject"(store) {
    const [subject, accepted, rejected] = [randomUUID(), randomUUID(), randomUUID()];
    await store.done(accepted, 200, subject);
    await store.done(rejected, 200, subject);
    const token = await store.take(accepted, longMs, subject);
    assert.equal(stateOf(await store.acquire(accepted, longMs, subject)), "inProgress");
    assert.equal(stateOf(await store.acquire(rejected, longMs, subject)), "completed", "until the other is completed");
    await store.release(accepted, token);
    assert.equal(
      stateOf(await store.acquire(rejected, longMs, subject)),
      "completed",
      "what was released completed nothing",
    );
    assert.equal(stateOf(await store.acquire(accepted, longMs, subject)), "acquired");
  },

  async "a holder past its lease supersedes nothing of its subject"(store) {
    const [subject, slow, key] = [randomUUID(), randomUUID(), randomUUID()];
    const stale = await store.take(slow, shortMs, subject);
    await store.takeOnceFree(slow, longMs, subject);
    await store.done(key, 200, subject);
    await store.complete(slow, stale);
    assert.equal(stateOf(await store.acquire(key, longMs, subject)), "completed");
  },

  async "a receipt is not superseded by what was released, nor by another subject"(store) {
    const [subject, key, failed, elsewhere] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await store.done(key, 200, subject);
    await store.release(failed, await store.take(failed, longMs, subject));
    await store.done(elsewhere, 200, randomUUID());
    await store.done(randomUUID());
    assert.equal(stateOf(await store.acquire(key, longMs, subject)), "completed");
  },

  async "two about the same subject may be at work at once"(store) {
    const subject = randomUUID();
    const [key, other] = [randomUUID(), randomUUID()];
    const tokens = [await store.take(key, longMs, subject), await store.take(other, longMs, subject)] as const;
    await store.complete(key, tokens[0]);
    assert.equal(stateOf(await store.acquire(other, longMs, subject)), "inProgress");
    await store.complete(other, tokens[1]);
    assert.equal(stateOf(await store.acquire(other, longMs, subject)), "completed");
  },
};
