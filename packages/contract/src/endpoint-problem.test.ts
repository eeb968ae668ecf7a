import { expect, test, vi } from "vitest";
import { describeEndpointProblem } from "./endpoint-problem.ts";

const now = Date.UTC(2026, 10, 20, 9, 30);

test.each([
  [400, "the endpoint's clock is 400 s ahead of this machine's"],
  [-400, "the endpoint's clock is 400 s behind this machine's"],
  [151, "the endpoint's clock is 151 s ahead of this machine's"],
  [150, "does not accept the secret"],
  [0, "does not accept the secret"],
])("a 401 from an endpoint whose clock differs by %d s is explained", (skewSeconds, advice) => {
  vi.useFakeTimers({ now, toFake: ["Date"] });
  const date = new Date(now + skewSeconds * 1_000).toUTCString();
  expect(describeEndpointProblem("/test/auth", 401, date).advice).toContain(advice);
  vi.useRealTimers();
});

test.each([undefined, "", "yesterday"])("without a valid date (%j), the secret is the likely cause of a 401", (date) =>
  expect(describeEndpointProblem("/test/auth", 401, date).advice).toContain("does not accept the secret"),
);
