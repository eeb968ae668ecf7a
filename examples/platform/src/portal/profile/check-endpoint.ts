import { type EndpointCheck, type EndpointToTest, testEndpoint } from "../../outbound/test-endpoint.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { PortalDeps } from "../person/portal-deps.ts";

/** A check, as the portal returns and shows it. */
export type CheckView = ReturnType<typeof checkView>;

/**
 * Makes both checks of a base address, which must pass before it is saved.
 *
 * @throws {ProblemError} `endpoint_check_failed` unless both responses have status 200
 */
export async function checkEndpoint({ outbound, sign }: PortalDeps, endpoint: EndpointToTest): Promise<CheckView[]> {
  const { passed, checks } = await testEndpoint(outbound, sign, endpoint);
  const views = checks.map(checkView);
  if (passed) return views;
  const detail = "Nothing was changed; see the reason of each check.";
  throw new ProblemError("endpoint_check_failed", detail, { extensions: { checks: views } });
}

const checkView = ({ contentType, status, failure, durationMs, body, ...check }: EndpointCheck) => ({
  ...check,
  status: status ?? null,
  failure: failure ?? null,
  contentType: contentType ?? null,
  body: body ?? null,
  milliseconds: durationMs,
});
