import { type EndpointCheck, type EndpointToTest, testEndpoint } from "../../outbound/test-endpoint.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { PortalDeps } from "../person/portal-deps.ts";

/** A check, as the portal returns and shows it. */
export type CheckView = EndpointCheck;

/**
 * Makes both checks of a base address, which must pass before it is saved.
 *
 * @throws {ProblemError} `endpoint_check_failed` unless both responses have status 200
 */
export async function checkEndpoint({ outbound, sign }: PortalDeps, endpoint: EndpointToTest): Promise<CheckView[]> {
  const { passed, checks } = await testEndpoint(outbound, sign, endpoint);
  if (passed) return checks;
  throw new ProblemError("endpoint_check_failed", "Nothing was changed; see the reason of each check.", {
    extensions: { checks },
  });
}
