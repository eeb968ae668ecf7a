import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Deduplication, memoryDeduplication } from "../../src/index.ts";
import { deduplicationConformance } from "../../src/testing.ts";

type Acquire = Deduplication["acquire"];

/** A mistake that a user's store may contain, and the conformance case that must catch it. */
interface StoreMistake {
  readonly mistake: string;
  readonly caughtBy: string;
  /** Returns the methods that contain the mistake. */
  readonly introduce: (inner: Deduplication) => Partial<Deduplication>;
}

/** Returns an `acquire` that passes each token that it gets through `replaceToken`. */
function replaceTokens(inner: Deduplication, replaceToken: (key: string, token: string) => string): Acquire {
  return async (key, options) => {
    const result = await inner.acquire(key, options);
    return result.state === "acquired" ? { ...result, token: replaceToken(key, result.token) } : result;
  };
}

/** Returns an `acquire` that records the current token of each key, and a function that looks up that token. */
function trackTokens(inner: Deduplication) {
  const tokens = new Map<string, string>();
  const acquire = replaceTokens(inner, (key, token) => {
    tokens.set(key, token);
    return token;
  });
  return { acquire, getCurrentToken: (key: string) => tokens.get(key) ?? "" };
}

const mistakes: StoreMistake[] = [
  {
    mistake: "grants every key",
    caughtBy: "a held key cannot be acquired again, and the result has retryAfterMs",
    introduce: () => ({ acquire: () => ({ state: "acquired", token: randomUUID() }) }),
  },
  {
    mistake: "checks first whether a key is free, and writes later",
    caughtBy: "only one of a hundred concurrent calls acquires a key",
    introduce: (inner) => {
      const acquiredKeys = new Set<string>();
      return {
        async acquire(key, options) {
          const isFree = !acquiredKeys.has(key);
          // Lets concurrent calls run between the check and the write.
          await undefined;
          acquiredKeys.add(key);
          const result = await inner.acquire(key, options);
          return isFree && result.state === "inProgress" ? { state: "acquired", token: randomUUID() } : result;
        },
      };
    },
  },
  {
    mistake: "never reports a completed key",
    caughtBy: "acquiring a completed key returns its recorded status",
    introduce: (inner) => ({ complete: (key, token) => inner.release(key, token) }),
  },
  {
    mistake: "stores every status as 200",
    caughtBy: "acquiring a completed key returns its recorded status",
    introduce: (inner) => ({ complete: (key, token, _, keepMs) => inner.complete(key, token, 200, keepMs) }),
  },
  {
    mistake: "keeps records forever",
    caughtBy: "a completed key is free again after keepMs",
    introduce: (inner) => ({ complete: (key, token, status) => inner.complete(key, token, status, 1e9) }),
  },
  {
    mistake: "keeps records only as long as their leases",
    caughtBy: "a completed key outlives its lease",
    introduce: (inner) => {
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
    introduce: (inner) => ({ acquire: (key, { subject }) => inner.acquire(key, { leaseMs: 1e9, subject }) }),
  },
  {
    mistake: "checks first whether a lease has expired, and writes later",
    caughtBy: "only one of a hundred concurrent calls acquires a key whose lease has expired",
    introduce: (inner) => {
      const expiryTimes = new Map<string, number>();
      return {
        async acquire(key, options) {
          const isExpired = (expiryTimes.get(key) ?? Number.POSITIVE_INFINITY) <= Date.now();
          // Lets concurrent calls run between the check and the write.
          await undefined;
          const result = await inner.acquire(key, options);
          if (result.state === "acquired") expiryTimes.set(key, Date.now() + options.leaseMs);
          return isExpired && result.state === "inProgress" ? { state: "acquired", token: randomUUID() } : result;
        },
      };
    },
  },
  {
    mistake: "does not release keys",
    caughtBy: "a released key is free immediately",
    introduce: () => ({ release: () => undefined }),
  },
  {
    mistake: "always returns the same token for a key",
    caughtBy: "a released key is free immediately",
    introduce: (inner) => {
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
    introduce: (inner) => {
      const { acquire, getCurrentToken } = trackTokens(inner);
      return {
        acquire,
        complete: (key, _, status, keepMs) => inner.complete(key, getCurrentToken(key), status, keepMs),
      };
    },
  },
  {
    mistake: "lets a stale token release",
    caughtBy: "a holder whose lease has expired cannot overwrite a newer result",
    introduce: (inner) => {
      const { acquire, getCurrentToken } = trackTokens(inner);
      return { acquire, release: (key) => inner.release(key, getCurrentToken(key)) };
    },
  },
  {
    mistake: "treats all keys as one",
    caughtBy: "keys are independent",
    introduce: (inner) => ({ acquire: (_, options) => inner.acquire("k", options) }),
  },
  {
    mistake: "ignores subjects",
    caughtBy: "a completed key is a duplicate until a different key with the same subject is completed",
    introduce: (inner) => ({ acquire: (key, { leaseMs }) => inner.acquire(key, { leaseMs }) }),
  },
  {
    mistake: "treats all subjects as one",
    caughtBy: "a completed key is not superseded by a released key, or by a key with another subject",
    introduce: (inner) => ({ acquire: (key, { leaseMs }) => inner.acquire(key, { leaseMs, subject: "s" }) }),
  },
  {
    mistake: "lets acquire supersede, instead of only complete",
    caughtBy: "a completed key is a duplicate until a different key with the same subject is completed",
    introduce: (inner) => {
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
    introduce: (inner) => ({
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

/** Runs every conformance case on the store, and returns the names of the cases that fail. */
async function findFailedCases(createStore: () => Deduplication): Promise<string[]> {
  const cases = deduplicationConformance(createStore);
  const runs = Promise.allSettled(cases.map(({ run }) => run()));
  await vi.advanceTimersByTimeAsync(10_000);
  const results = await runs;
  return cases.filter((_, index) => results[index]?.status === "rejected").map(({ name }) => name);
}

test("a correct store passes every conformance case", async () => {
  expect(await findFailedCases(() => memoryDeduplication())).toEqual([]);
});

/** Returns a correct store into which a mistake has been introduced. */
function createBrokenStore({ introduce }: StoreMistake): Deduplication {
  const inner = memoryDeduplication();
  return { ...inner, ...introduce(inner) };
}

test.each(mistakes)("a store that $mistake does not conform", async (mistake) => {
  expect(await findFailedCases(() => createBrokenStore(mistake))).toContain(mistake.caughtBy);
});

test("every conformance case catches at least one mistake", async () => {
  const failedCases = new Set<string>();
  for (const mistake of mistakes)
    for (const name of await findFailedCases(() => createBrokenStore(mistake))) failedCases.add(name);
  expect([...failedCases].sort()).toEqual(
    deduplicationConformance(() => memoryDeduplication())
      .map(({ name }) => name)
      .sort(),
  );
});
