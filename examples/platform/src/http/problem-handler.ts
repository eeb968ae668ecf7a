import type { ErrorRequestHandler, Response } from "express";
import { errorDocsUrl } from "../generated/decisions.ts";
import { ProblemError } from "./problem-error.ts";
import { problemKinds } from "./problem-kinds.ts";

/**
 * Responds to every error of a route with problem details (RFC 9457), without internals.
 *
 * @param onUnexpected receives errors that are not a `ProblemError`: bugs, and failures of the store
 */
export const problemHandler =
  (onUnexpected: (error: unknown, response: Response) => void): ErrorRequestHandler =>
  (error: unknown, _request, response, _next) => {
    const problem = toProblem(error);
    // A `ProblemError` with status 503 is intended.
    if (problem !== error && problem.status >= 500) onUnexpected(error, response);
    // Too late for another response. A reset connection marks the first one as incomplete.
    if (response.headersSent) return void response.destroy();
    sendProblem(response, problem);
  };

function sendProblem(response: Response, { code, status, message, errors, extensions, headers }: ProblemError): void {
  response
    .status(status)
    .set(headers)
    .type("application/problem+json")
    .send(
      JSON.stringify({
        type: `${errorDocsUrl}${code}.md`,
        title: problemKinds[code].title,
        status,
        detail: message,
        instance: `urn:offers:request:${response.get("X-Request-Id")}`,
        code,
        ...(errors !== undefined && { errors: Object.fromEntries(errors) }),
        ...extensions,
      }),
    );
}

/** The problem that the caller sees for an error. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  // Thrown by Express for a path that it cannot percent-decode.
  if (error instanceof URIError)
    return new ProblemError("malformed_url", "Percent-encode the address as UTF-8.", { cause: error });
  return new ProblemError("internal_error", "Try again. If it happens again, report the instance.", {
    cause: error,
  });
}
