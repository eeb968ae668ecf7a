/** What is wrong with a webhook endpoint, according to its response status. `success_not_200` means a 2xx status other than 200. */
export type EndpointProblemCode = "success_not_200" | "redirected" | "secret_refused" | "not_found" | "not_200";

/**
 * Explains a response status other than 200.
 *
 * @param path the path below the base URL
 * @returns `advice` explains what to change, as the end of a sentence without its full stop; empty if the status reveals nothing
 */
export function describeEndpointProblem(path: string, status: number): { code: EndpointProblemCode; advice: string } {
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
      advice: ": the endpoint does not accept the secret; compare it with the one in its configuration",
    };
  if (status === 404) return { code: "not_found", advice: `: nothing is mounted at ${path} below the base URL` };
  return { code: "not_200", advice: "" };
}
