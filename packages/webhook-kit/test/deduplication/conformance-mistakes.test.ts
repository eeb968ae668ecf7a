import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { memoryReceipts, type Receipts } from "../../src/index.ts";
import { receiptsConformance } from "../../src/testing.ts";

type Claim = Receipts["claim"];

/** What a user's store may get wrong, over one that is right; and the case that must notice. */
interface Mistake {
  readonly mistake: string;
  readonly noticed: string;
  readonly breakIt: (inner: Receipts) => Partial<Receipts>;
}

/** Changes what is remembered of each claim that was granted. */
function onGranted(inner: Receipts, change: (key: string, token: string) => string): Claim {
  return async (key, options) => {
    const claim = await inner.claim(key, options);
    return claim.state === "claimed" ? { ...claim, token: change(key, claim.token) } : claim;
  };
}

const mistakes: Mistake[] = [
  {
    mistake: "grants every claim",
    noticed: "a key is claimed once, and until then tells when to come again",
    breakIt: () => ({ claim: () => ({ state: "claimed", token: randomUUID() }) }),
  },
  {
    mistake: "looks first and writes later",
    noticed: "of a hundred claims at once, one gets the key",
    breakIt: (inner) => {
      const held = new Set<string>();
      return {
        async claim(key, options) {
          const isFree = !held.has(key);
          await undefined;
          held.add(key);
          const claim = await inner.claim(key, options);
          return isFree && claim.state === "inFlight" ? { state: "claimed", token: randomUUID() } : claim;
        },
      };
    },
  },
  {
    mistake: "never says done",
    noticed: "a completed key answers the status that it was completed with",
    breakIt: (inner) => ({ complete: (key, token) => inner.release(key, token) }),
  },
  {
    mistake: "keeps no status but 200",
    noticed: "a completed key answers the status that it was completed with",
    breakIt: (inner) => ({ complete: (key, token, _, keepMs) => inner.complete(key, token, 200, keepMs) }),
  },
  {
    mistake: "keeps receipts for ever",
    noticed: "a receipt ends when its time is over",
    breakIt: (inner) => ({ complete: (key, token, status) => inner.complete(key, token, status, 1e9) }),
  },
  {
    mistake: "keeps receipts no longer than their leases",
    noticed: "a receipt outlives the lease of its claim",
    breakIt: (inner) => {
      const leases = new Map<string, number>();
      return {
        claim(key, options) {
          leases.set(key, options.leaseMs);
          return inner.claim(key, options);
        },
        complete: (key, token, status) => inner.complete(key, token, status, leases.get(key) ?? 0),
      };
    },
  },
  {
    mistake: "never ends a lease",
    noticed: "a lease that ran out is free again",
    breakIt: (inner) => ({ claim: (key, { subject }) => inner.claim(key, { leaseMs: 1e9, subject }) }),
  },
  {
    mistake: "looks first whether a lease has run out, and writes later",
    noticed: "of a hundred claims of a lease that ran out, one gets the key",
    breakIt: (inner) => {
      const ends = new Map<string, number>();
      return {
        async claim(key, options) {
          const isOver = (ends.get(key) ?? Number.POSITIVE_INFINITY) <= Date.now();
          await undefined;
          const claim = await inner.claim(key, options);
          if (claim.state === "claimed") ends.set(key, Date.now() + options.leaseMs);
          return isOver && claim.state === "inFlight" ? { state: "claimed", token: randomUUID() } : claim;
        },
      };
    },
  },
  {
    mistake: "releases nothing",
    noticed: "a released key is free at once",
    breakIt: () => ({ release: () => undefined }),
  },
  {
    mistake: "gives each key one token for good",
    noticed: "a released key is free at once",
    breakIt: (inner) => {
      const tokens = new Map<string, string>();
      return {
        claim: onGranted(inner, (key, token) => {
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
    noticed: "a holder past its lease overwrites nothing that is newer",
    breakIt: (inner) => {
      const tokens = new Map<string, string>();
      const claim = onGranted(inner, (key, token) => {
        tokens.set(key, token);
        return token;
      });
      return {
        claim,
        complete: (key, _, status, keepMs) => inner.complete(key, tokens.get(key) ?? "", status, keepMs),
      };
    },
  },
  {
    mistake: "lets a stale token release",
    noticed: "a holder past its lease overwrites nothing that is newer",
    breakIt: (inner) => {
      const tokens = new Map<string, string>();
      const claim = onGranted(inner, (key, token) => {
        tokens.set(key, token);
        return token;
      });
      return { claim, release: (key) => inner.release(key, tokens.get(key) ?? "") };
    },
  },
  {
    mistake: "takes every key for one",
    noticed: "keys do not disturb one another",
    breakIt: (inner) => ({ claim: (_, options) => inner.claim("k", options) }),
  },
  {
    mistake: "leaves subjects aside",
    noticed: "a receipt counts until another about the same subject is completed",
    breakIt: (inner) => ({ claim: (key, { leaseMs }) => inner.claim(key, { leaseMs }) }),
  },
  {
    mistake: "takes all subjects for one",
    noticed: "a receipt is not superseded by what was released, nor by another subject",
    breakIt: (inner) => ({ claim: (key, { leaseMs }) => inner.claim(key, { leaseMs, subject: "s" }) }),
  },
  {
    mistake: "lets a claim supersede, and not only what is completed",
    noticed: "a receipt counts until another about the same subject is completed",
    breakIt: (inner) => {
      const latest = new Map<string, string>();
      return {
        async claim(key, options) {
          const claim = await inner.claim(key, options);
          const { subject = key } = options;
          if (claim.state === "claimed") latest.set(subject, key);
          return claim.state === "done" && latest.get(subject) !== key
            ? { state: "claimed", token: randomUUID() }
            : claim;
        },
      };
    },
  },
  {
    mistake: "answers when to come again in another unit",
    noticed: "a key is claimed once, and until then tells when to come again",
    breakIt: (inner) => ({
      async claim(key, options) {
        const claim = await inner.claim(key, options);
        return claim.state === "inFlight" ? { ...claim, retryAfterMs: claim.retryAfterMs * 1_000 } : claim;
      },
    }),
  },
];

// Nobody waits for what never ends.
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

async function complaintsAbout(createStore: () => Receipts): Promise<string[]> {
  const cases = receiptsConformance(createStore);
  const verdicts = Promise.allSettled(cases.map(({ run }) => run()));
  await vi.advanceTimersByTimeAsync(10_000);
  const failed = (await verdicts).map(({ status }) => status === "rejected");
  return cases.filter((_, index) => failed[index]).map(({ name }) => name);
}

test("nothing is said against a store that is right", async () => {
  expect(await complaintsAbout(() => memoryReceipts())).toEqual([]);
});

test.each(mistakes)("a store that $mistake does not conform", async ({ noticed, breakIt }) => {
  const complaints = await complaintsAbout(() => {
    const inner = memoryReceipts();
    return { ...inner, ...breakIt(inner) };
  });
  expect(complaints).toContain(noticed);
});

test("no case is idle: each notices some mistake", async () => {
  const noticed = new Set<string>();
  for (const { breakIt } of mistakes) {
    const complaints = await complaintsAbout(() => {
      const inner = memoryReceipts();
      return { ...inner, ...breakIt(inner) };
    });
    for (const name of complaints) noticed.add(name);
  }
  expect([...noticed].sort()).toEqual(
    receiptsConformance(() => memoryReceipts())
      .map(({ name }) => name)
      .sort(),
  );
});
