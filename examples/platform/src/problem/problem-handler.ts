import type { ErrorRequestHandler, Response } from "express";
import { ProblemError } from "./problem-error.ts";
import { problemKinds } from "./problem-kinds.ts";

/**
 * Answers whatever a route threw with problem details, and with nothing that the caller should not see.
 *
 * @param onUnexpected told of errors that are not an answer: bugs, and a store that is gone
 */
export const answerProblem =
  (onUnexpected: (error: unknown, response: Response) => void): ErrorRequestHandler =>
  (error: unknown, _request, response, _next) => {
    const problem = problemOf(error);
    // One that a route threw is an answer, also that it is not ready.
    if (problem !== error && problem.status >= 500) onUnexpected(error, response);
    // Too late for another answer: cut it off, so that nobody takes half an answer for a whole one.
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
        type: `urn:problem-type:offers:${code}`,
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

/** What the caller may see of whatever was thrown. */
export function problemOf(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  // Express refuses what it cannot percent-decode.
  if (error instanceof URIError)
    return new ProblemError("malformed_url", "Percent-encode the address as UTF-8.", { cause: error });
  return new ProblemError("internal_error", "Try again; if it goes on, report the instance named here.", {
    cause: error,
  });
}
