import { expect, test } from "vitest";
import { formatRateLimit, readRateLimit } from "./rate-limit.ts";

const createHeaderGetter = (rateLimit: string | null, policies: string | null) => {
  const fields: Record<string, string | null> = { ratelimit: rateLimit, "ratelimit-policy": policies };
  return (name: string) => fields[name];
};

// The first case is the example in draft 11 of the IETF's RateLimit header fields.
test.each([
  [
    '"default";r=50;t=30',
    '"default";q=100;w=60',
    { policy: "default", remaining: 50, resetAfterMs: 30_000, limit: 100, windowMs: 60_000 },
  ],
  [
    '"a";r=9, "day" ; r=3;t=40',
    '"a";q=10;w=1,"day";q=5000;w=86400',
    { policy: "day", remaining: 3, resetAfterMs: 40_000, limit: 5_000, windowMs: 86_400_000 },
  ],
  [
    '"a";r=0;pk=:cHJvYmU=:',
    null,
    { policy: "a", remaining: 0, resetAfterMs: undefined, limit: undefined, windowMs: undefined },
  ],
  ['"a";r=1', '"b";q=5', { policy: "a", remaining: 1, resetAfterMs: undefined, limit: undefined, windowMs: undefined }],
])("readRateLimit reads RateLimit %s with RateLimit-Policy %s", (rateLimit, policies, expected) =>
  expect(readRateLimit(createHeaderGetter(rateLimit, policies))).toEqual(expected),
);

test.each([null, "", "limit=100, remaining=50", '"a";t=5', '"a";r=-1', '"a";r=soon', '"a";r=1.5.2', "600"])(
  "readRateLimit ignores %j, which does not contain the number of remaining requests",
  (rateLimit) => expect(readRateLimit(createHeaderGetter(rateLimit, '"a";q=5;w=60'))).toBeUndefined(),
);

test("formatRateLimit rounds seconds up and returns fields that readRateLimit can read", () => {
  const formatted = formatRateLimit({ policy: "key", remaining: 7, resetAfterMs: 1_001, limit: 600, windowMs: 60_000 });
  expect(formatted).toEqual({ RateLimit: '"key";r=7;t=2', "RateLimit-Policy": '"key";q=600;w=60' });
  expect(readRateLimit(createHeaderGetter(formatted.RateLimit, formatted["RateLimit-Policy"]))).toMatchObject({
    remaining: 7,
    resetAfterMs: 2_000,
  });
});
