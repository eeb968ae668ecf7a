import { type EndpointCheck, type EndpointToTest, testEndpoint } from "../../outbound/test-endpoint.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { PortalDeps } from "../person/portal-deps.ts";

/** A check as the profile page shows it. */
export type CheckView = ReturnType<typeof checkView>;

/**
 * Makes both checks of a base address; only what passes them is saved.
 *
 * @returns them for the answer
 * @throws {ProblemError} `endpoint_check_failed` unless both were answered with exactly 200
 */
export async function checkEndpoint({ outbound, sign }: PortalDeps, endpoint: EndpointToTest): Promise<CheckView[]> {
  const { passed, checks } = await testEndpoint(outbound, sign, endpoint);
  const views = checks.map(checkView);
  if (passed) return views;
  const detail = "Nothing was changed; see the reason of each check.";
  throw new ProblemError("endpoint_check_failed", detail, { extensions: { checks: views } });
}

const checkView = ({ contentType, status, failure, durationMs, answer, ...check }: EndpointCheck) => ({
  ...check,
  status: status ?? null,
  failure: failure ?? null,
  contentType: contentType ?? null,
  answer: answer ?? null,
  milliseconds: durationMs,
});
