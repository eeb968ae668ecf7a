import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Deduplication, memoryDeduplication } from "../../src/index.ts";
import { deduplicationConformance } from "../../src/testing.ts";

type Acquire = Deduplication["acquire"];

/** A mistake that a user's store may contain, and the conformance case that must catch it. */
interface StoreMistake {
  readonly mistake: string;
  readonly caughtBy: string;
  readonly breakIt: (inner: Deduplication) => Partial<Deduplication>;
}

/** Returns an `acquire` that replaces the token of each key that it acquires. */
function replaceTokens(inner: Deduplication, change: (key: string, token: string) => string): Acquire {
  return async (key, options) => {
    const result = await inner.acquire(key, options);
    return result.state === "acquired" ? { ...result, token: change(key, result.token) } : result;
  };
}

/** Returns an `acquire` that remembers the current token of each key, and a function that looks it up. */
function trackTokens(inner: Deduplication) {
  const tokens = new Map<string, string>();
  const acquire = replaceTokens(inner, (key, token) => {
    tokens.set(key, token);
    return token;
  });
  return { acquire, currentToken: (key: string) => tokens.get(key) ?? "" };
}

const mistakes: StoreMistake[] = [
  {
    mistake: "grants every key",
    caughtBy: "a held key cannot be acquired again, and the result has retryAfterMs",
    breakIt: () => ({ acquire: () => ({ state: "acquired", token: randomUUID() }) }),
  },
  {
    mistake: "checks first whether a key is free, and writes later",
    caughtBy: "only one of a hundred concurrent calls acquires a key",
    breakIt: (inner) => {
      const held = new Set<string>();
      return {
        async acquire(key, options) {
          const isFree = !held.has(key);
          await undefined;
          held.add(key);
          const result = await inner.acquire(key, options);
          return isFree && result.state === "inProgress" ? { state: "acquired", token: randomUUID() } : result;
        },
      };
    },
  },
  {
    mistake: "never reports a completed key",
    caughtBy: "acquiring a completed key returns its recorded status",
    breakIt: (inner) => ({ complete: (key, token) => inner.release(key, token) }),
  },
  {
    mistake: "stores every status as 200",
    caughtBy: "acquiring a completed key returns its recorded status",
    breakIt: (inner) => ({ complete: (key, token, _, keepMs) => inner.complete(key, token, 200, keepMs) }),
  },
  {
    mistake: "keeps records forever",
    caughtBy: "a completed key is free again after keepMs",
    breakIt: (inner) => ({ complete: (key, token, status) => inner.complete(key, token, status, 1e9) }),
  },
  {
    mistake: "keeps records only as long as their leases",
    caughtBy: "a completed key outlives its lease",
    breakIt: (inner) => {
      const leases = new Map<string, number>();
      return {
        acquire(key, options) {
          leases.set(key, options.leaseMs);
          return inner.acquire(key, options);
        },
        complete: (key, token, status) => inner.complete(key, token, status, leases.get(key) ?? 0),
      };
    },
  },
  {
    mistake: "never expires a lease",
    caughtBy: "an expired lease is free again",
    breakIt: (inner) => ({ acquire: (key, { subject }) => inner.acquire(key, { leaseMs: 1e9, subject }) }),
  },
  {
    mistake: "checks first whether a lease has expired, and writes later",
    caughtBy: "only one of a hundred concurrent calls acquires a key whose lease has expired",
    breakIt: (inner) => {
      const ends = new Map<string, number>();
      return {
        async acquire(key, options) {
          const isOver = (ends.get(key) ?? Number.POSITIVE_INFINITY) <= Date.now();
          await undefined;
          const result = await inner.acquire(key, options);
          if (result.state === "acquired") ends.set(key, Date.now() + options.leaseMs);
          return isOver && result.state === "inProgress" ? { state: "acquired", token: randomUUID() } : result;
        },
      };
    },
  },
  {
    mistake: "does not release keys",
    caughtBy: "a released key is free immediately",
    breakIt: () => ({ release: () => undefined }),
  },
  {
    mistake: "gives a key the same token every time",
    caughtBy: "a released key is free immediately",
    breakIt: (inner) => {
      const tokens = new Map<string, string>();
      return {
        acquire: replaceTokens(inner, (key, token) => {
          tokens.set(key, token);
          return `token of ${key}`;
        }),
        complete: (key, _, status, keepMs) => inner.complete(key, tokens.get(key) ?? "", status, keepMs),
        release: (key) => inner.release(key, tokens.get(key) ?? ""),
      };
    },
  },
  {
    mistake: "lets a stale token complete",
    caughtBy: "a holder whose lease has expired cannot overwrite a newer result",
    breakIt: (inner) => {
      const { acquire, currentToken } = trackTokens(inner);
      return { acquire, complete: (key, _, status, keepMs) => inner.complete(key, currentToken(key), status, keepMs) };
    },
  },
  {
    mistake: "lets a stale token release",
    caughtBy: "a holder whose lease has expired cannot overwrite a newer result",
    breakIt: (inner) => {
      const { acquire, currentToken } = trackTokens(inner);
      return { acquire, release: (key) => inner.release(key, currentToken(key)) };
    },
  },
  {
    mistake: "treats all keys as one",
    caughtBy: "keys are independent",
    breakIt: (inner) => ({ acquire: (_, options) => inner.acquire("k", options) }),
  },
  {
    mistake: "ignores subjects",
    caughtBy: "a completed key counts until another key with the same subject is completed",
    breakIt: (inner) => ({ acquire: (key, { leaseMs }) => inner.acquire(key, { leaseMs }) }),
  },
  {
    mistake: "treats all subjects as one",
    caughtBy: "a completed key is not superseded by a released key, or by a key with another subject",
    breakIt: (inner) => ({ acquire: (key, { leaseMs }) => inner.acquire(key, { leaseMs, subject: "s" }) }),
  },
  {
    mistake: "lets acquire supersede, instead of only complete",
    caughtBy: "a completed key counts until another key with the same subject is completed",
    breakIt: (inner) => {
      const latest = new Map<string, string>();
      return {
        async acquire(key, options) {
          const result = await inner.acquire(key, options);
          const { subject = key } = options;
          if (result.state === "acquired") latest.set(subject, key);
          return result.state === "completed" && latest.get(subject) !== key
            ? { state: "acquired", token: randomUUID() }
            : result;
        },
      };
    },
  },
  {
    mistake: "returns retryAfterMs in the wrong unit",
    caughtBy: "a held key cannot be acquired again, and the result has retryAfterMs",
    breakIt: (inner) => ({
      async acquire(key, options) {
        const result = await inner.acquire(key, options);
        return result.state === "inProgress" ? { ...result, retryAfterMs: result.retryAfterMs * 1_000 } : result;
      },
    }),
  },
];

// With fake timers, no case waits in real time or hangs.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Returns the names of the cases that fail on the store. */
async function failedCases(createStore: () => Deduplication): Promise<string[]> {
  const cases = deduplicationConformance(createStore);
  const verdicts = Promise.allSettled(cases.map(({ run }) => run()));
  await vi.advanceTimersByTimeAsync(10_000);
  const hasFailed = (await verdicts).map(({ status }) => status === "rejected");
  return cases.filter((_, index) => hasFailed[index]).map(({ name }) => name);
}

test("a correct store passes", async () => {
  expect(await failedCases(() => memoryDeduplication())).toEqual([]);
});

test.each(mistakes)("a store that $mistake does not conform", async ({ caughtBy, breakIt }) => {
  const failed = await failedCases(() => {
    const inner = memoryDeduplication();
    return { ...inner, ...breakIt(inner) };
  });
  expect(failed).toContain(caughtBy);
});

test("every case catches at least one mistake", async () => {
  const caught = new Set<string>();
  for (const { breakIt } of mistakes) {
    const failed = await failedCases(() => {
      const inner = memoryDeduplication();
      return { ...inner, ...breakIt(inner) };
    });
    for (const name of failed) caught.add(name);
  }
  expect([...caught].sort()).toEqual(
    deduplicationConformance(() => memoryDeduplication())
      .map(({ name }) => name)
      .sort(),
  );
});
