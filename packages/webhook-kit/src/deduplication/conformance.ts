import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { AcquireResult, Deduplication } from "./deduplication.ts";

/** A duration that outlasts every case. */
const longMs = 60_000;

/** A duration after which a key expires while a case waits. */
const shortMs = 50;

/** The maximum wait for a key to expire. It is generous, because a remote store's clock may be coarse. */
const maxWaitMs = 5_000;

/**
 * Returns the conformance suite for deduplication stores, to test your own store with any test runner. Keys are random, so the cases can
 * run against a store in use. Each case takes less than a second. A store that deliberately ignores `subject` fails the cases with
 * "subject" in their names.
 *
 * @param createStore called once per case; may return the same store each time
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
  /** The rule that the case tests, as a title for your test. */
  readonly name: string;
  /** Runs the case. Rejects if the store fails the case. */
  readonly run: () => Promise<void>;
}[] {
  return Object.entries(cases).map(([name, run]) => ({
    name,
    run: async () => run(new TestedStore(await createStore())),
  }));
}

/** The store under test, with helpers for the cases. */
class TestedStore {
  readonly #store: Deduplication;

  constructor(store: Deduplication) {
    this.#store = store;
  }

  acquire = async (key: string, leaseMs = longMs, subject?: string): Promise<AcquireResult> =>
    this.#store.acquire(key, subject === undefined ? { leaseMs } : { leaseMs, subject });

  /** Acquires a key that must be free, and returns its token. */
  async acquireFree(key: string, leaseMs = longMs, subject?: string): Promise<string> {
    const result = await this.acquire(key, leaseMs, subject);
    assert.equal(result.state, "acquired", "a free key must be acquired");
    assert.ok(
      result.state === "acquired" && typeof result.token === "string" && result.token,
      "an acquired key has a token",
    );
    return result.token;
  }

  /** Tries to acquire a key, and returns the resulting state. */
  async tryAcquire(key: string, subject?: string): Promise<string> {
    return (await this.acquire(key, longMs, subject)).state;
  }

  complete = async (key: string, token: string, status = 200, keepMs = longMs): Promise<void> =>
    this.#store.complete(key, token, status, keepMs);

  release = async (key: string, token: string): Promise<void> => this.#store.release(key, token);

  async acquireAndComplete(key: string, status = 200, subject?: string): Promise<void> {
    await this.complete(key, await this.acquireFree(key, longMs, subject), status);
  }

  /** Acquires the key as soon as it is free, and returns its token. */
  async acquireWhenFree(key: string, leaseMs = longMs, subject?: string): Promise<string> {
    const result = await pollUntil(
      () => this.acquire(key, leaseMs, subject),
      ({ state }) => state === "acquired",
    );
    assert.ok(result.state === "acquired");
    return result.token;
  }
}

/** Repeats a call until its result is as expected. Fails if a key does not expire in time. */
async function pollUntil<T>(call: () => Promise<T>, isExpected: (result: T) => boolean): Promise<T> {
  const deadline = Date.now() + maxWaitMs;
  for (;;) {
    const result = await call();
    if (isExpected(result)) return result;
    assert.ok(Date.now() < deadline, `a key that should have expired is still held after ${maxWaitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const expectCompleted = (result: AcquireResult, status: number, message: string): void =>
  assert.deepEqual(result, { state: "completed", status }, message);

const cases: Readonly<Record<string, (store: TestedStore) => Promise<void>>> = {
  async "a held key cannot be acquired again, and the result has retryAfterMs"(store) {
    const key = randomUUID();
    await store.acquireFree(key);
    const second = await store.acquire(key);
    assert.equal(second.state, "inProgress", "a held key must not be acquired again");
    assert.ok(
      second.state === "inProgress" && second.retryAfterMs > 0 && second.retryAfterMs <= longMs,
      "retryAfterMs is the time left on the lease",
    );
  },

  async "only one of a hundred concurrent calls acquires a key"(store) {
    const key = randomUUID();
    const results = await Promise.all(Array.from({ length: 100 }, () => store.acquire(key)));
    assert.equal(results.filter(({ state }) => state === "acquired").length, 1);
    assert.equal(results.filter(({ state }) => state === "inProgress").length, 99);
  },

  async "keys are independent"(store) {
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const tokens = await Promise.all(keys.map((key) => store.acquireFree(key)));
    assert.equal(new Set(tokens).size, keys.length, "every acquired key has its own token");
    await store.complete(String(keys[0]), String(tokens[0]));
    await store.release(String(keys[1]), String(tokens[1]));
    assert.equal(await store.tryAcquire(String(keys[0])), "completed");
    assert.equal(await store.tryAcquire(String(keys[1])), "acquired");
    assert.equal(await store.tryAcquire(String(keys[2])), "inProgress");
  },

  async "acquiring a completed key returns its recorded status"(store) {
    for (const status of [200, 204, 418]) {
      const key = randomUUID();
      await store.acquireAndComplete(key, status);
      expectCompleted(await store.acquire(key), status, "the status is recorded");
      expectCompleted(await store.acquire(key), status, "acquire does not delete the status");
    }
  },

  async "a completed key is free again after keepMs"(store) {
    const key = randomUUID();
    await store.complete(key, await store.acquireFree(key), 200, shortMs);
    await store.acquireWhenFree(key);
  },

  async "a completed key outlives its lease"(store) {
    const [key, otherKey] = [randomUUID(), randomUUID()];
    // Long enough to complete the key, however busy the machine is.
    const leaseMs = 10 * shortMs;
    await store.complete(key, await store.acquireFree(key, leaseMs));
    await store.acquireFree(otherKey, leaseMs);
    await store.acquireWhenFree(otherKey);
    expectCompleted(await store.acquire(key), 200, "keepMs applies, not leaseMs");
  },

  async "a released key is free immediately"(store) {
    const key = randomUUID();
    const firstToken = await store.acquireFree(key);
    await store.release(key, firstToken);
    assert.notEqual(await store.acquireFree(key), firstToken, "each lease has its own token");
  },

  async "an expired lease is free again"(store) {
    const key = randomUUID();
    await store.acquireFree(key, shortMs);
    await store.acquireWhenFree(key);
  },

  async "only one of a hundred concurrent calls acquires a key whose lease has expired"(store) {
    const key = randomUUID();
    await store.acquireFree(key, shortMs);
    const results = await pollUntil(
      () => Promise.all(Array.from({ length: 100 }, () => store.acquire(key))),
      (attempts) => attempts.some(({ state }) => state === "acquired"),
    );
    assert.equal(results.filter(({ state }) => state === "acquired").length, 1);
  },

  async "a holder whose lease has expired cannot overwrite a newer result"(store) {
    const key = randomUUID();
    const staleToken = await store.acquireFree(key, shortMs);
    const newToken = await store.acquireWhenFree(key);
    await store.complete(key, staleToken, 500);
    assert.equal(await store.tryAcquire(key), "inProgress", "a stale token must not complete the key");
    await store.release(key, staleToken);
    assert.equal(await store.tryAcquire(key), "inProgress", "a stale token must not release the key");
    await store.complete(key, newToken);
    await store.complete(key, staleToken, 500);
    await store.release(key, staleToken);
    expectCompleted(await store.acquire(key), 200, "the newer result is unchanged");
  },

  async "a key's token is invalid for other keys"(store) {
    const [key, otherKey] = [randomUUID(), randomUUID()];
    await store.acquireFree(key);
    const token = await store.acquireFree(otherKey);
    await store.release(key, token);
    assert.equal(await store.tryAcquire(key), "inProgress");
    await store.complete(key, token);
    assert.equal(await store.tryAcquire(key), "inProgress");
  },

  async "a completed key is not changed by its own token"(store) {
    const key = randomUUID();
    const token = await store.acquireFree(key);
    await store.complete(key, token);
    await store.release(key, token);
    await store.complete(key, token, 500);
    expectCompleted(await store.acquire(key), 200, "a status is recorded once");
  },

  async "a completed key is a duplicate until a different key with the same subject is completed"(store) {
    const [subject, accepted, rejected] = [randomUUID(), randomUUID(), randomUUID()];
    await store.acquireAndComplete(accepted, 200, subject);
    assert.equal(await store.tryAcquire(accepted, subject), "completed", "the same key is a duplicate");
    const token = await store.acquireFree(rejected, longMs, subject);
    assert.equal(await store.tryAcquire(accepted, subject), "completed", "until the other key is completed");
    await store.complete(rejected, token);
    await store.acquireAndComplete(accepted, 200, subject);
    assert.equal(await store.tryAcquire(accepted, subject), "completed");
    await store.acquireAndComplete(rejected, 200, subject);
  },

  async "a superseded key can be acquired like any other key with its subject"(store) {
    const [subject, accepted, rejected] = [randomUUID(), randomUUID(), randomUUID()];
    await store.acquireAndComplete(accepted, 200, subject);
    await store.acquireAndComplete(rejected, 200, subject);
    const token = await store.acquireFree(accepted, longMs, subject);
    assert.equal(await store.tryAcquire(accepted, subject), "inProgress");
    assert.equal(await store.tryAcquire(rejected, subject), "completed", "until the other key is completed");
    await store.release(accepted, token);
    assert.equal(await store.tryAcquire(rejected, subject), "completed", "a released key supersedes nothing");
    assert.equal(await store.tryAcquire(accepted, subject), "acquired");
  },

  async "a holder whose lease has expired does not supersede another key with its subject"(store) {
    const [subject, expiredKey, key] = [randomUUID(), randomUUID(), randomUUID()];
    const staleToken = await store.acquireFree(expiredKey, shortMs, subject);
    await store.acquireWhenFree(expiredKey, longMs, subject);
    await store.acquireAndComplete(key, 200, subject);
    await store.complete(expiredKey, staleToken);
    assert.equal(await store.tryAcquire(key, subject), "completed");
  },

  async "a completed key is not superseded by a released key, or by a key with another subject"(store) {
    const [subject, key, releasedKey, otherKey] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    await store.acquireAndComplete(key, 200, subject);
    await store.release(releasedKey, await store.acquireFree(releasedKey, longMs, subject));
    await store.acquireAndComplete(otherKey, 200, randomUUID());
    await store.acquireAndComplete(randomUUID());
    assert.equal(await store.tryAcquire(key, subject), "completed");
  },

  async "two keys with the same subject can be held concurrently"(store) {
    const subject = randomUUID();
    const [key, otherKey] = [randomUUID(), randomUUID()];
    const tokens = [
      await store.acquireFree(key, longMs, subject),
      await store.acquireFree(otherKey, longMs, subject),
    ] as const;
    await store.complete(key, tokens[0]);
    assert.equal(await store.tryAcquire(otherKey, subject), "inProgress");
    await store.complete(otherKey, tokens[1]);
    assert.equal(await store.tryAcquire(otherKey, subject), "completed");
  },
};
