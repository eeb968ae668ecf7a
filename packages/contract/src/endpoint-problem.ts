import { toleranceSeconds } from "./generated/decisions.ts";
import { parseHttpDate } from "./http-date.ts";

/** What is wrong with a webhook endpoint, according to its response status. `success_not_200` means a 2xx status other than 200. */
export type EndpointProblemCode = "success_not_200" | "redirected" | "secret_refused" | "not_found" | "not_200";

/**
 * Explains a response status other than 200.
 *
 * @param path the path below the base URL
 * @param date the response's `Date` header, which shows the clock that may have rejected the signature
 * @returns `advice` explains what to change, as the end of a sentence without its full stop; empty if the status reveals nothing
 */
export function describeEndpointProblem(
  path: string,
  status: number,
  date?: string,
): { code: EndpointProblemCode; advice: string } {
  if (status >= 200 && status < 300)
    return {
      code: "success_not_200",
      advice:
        ". Many frameworks send 204 for a handler that returns nothing: return 200 explicitly, here and from every webhook handler",
    };
  if (status >= 300 && status < 400)
    return { code: "redirected", advice: ": redirects are not followed; enter the final URL" };
  // Only GET /test is unsigned.
  if (path !== "/test" && (status === 401 || status === 403))
    return {
      code: "secret_refused",
      advice:
        describeWrongClock(date) ??
        ": the endpoint does not accept the secret; compare it with the one in its configuration",
    };
  if (status === 404) return { code: "not_found", advice: `: nothing is mounted at ${path} below the base URL` };
  return { code: "not_200", advice: "" };
}

/** Explains a clock that differs by more than half of what a receiver tolerates, since a response can be slow or cached. */
function describeWrongClock(date: string | undefined): string | undefined {
  const skewMs = (parseHttpDate(date ?? "") ?? Date.now()) - Date.now();
  const skewSeconds = Math.round(Math.abs(skewMs) / 1_000);
  if (skewSeconds <= toleranceSeconds / 2) return undefined;
  const direction = skewMs > 0 ? "ahead of" : "behind";
  return `: the endpoint's clock is ${skewSeconds} s ${direction} this machine's, so it rejects the timestamp; synchronise both clocks`;
}
