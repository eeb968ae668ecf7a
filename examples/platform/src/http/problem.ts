import { errorDocsUrl } from "@offers/contract/decisions";
import { operationProblems } from "@offers/contract/problem-kinds";
import type { ErrorRequestHandler, Response } from "express";
import { StoreError } from "../store/store.ts";

/** All of the platform's problem types (D-19). Each key is a stable `code`. */
export const problemKinds = {
  ...operationProblems,
  invalid_credentials: { status: 401, title: "Incorrect name or password" },
  unauthenticated: { status: 401, title: "Not signed in" },
  csrf_check_failed: { status: 403, title: "The form failed the CSRF check" },
  organisation_not_found: { status: 404, title: "No such organisation" },
  device_not_found: { status: 404, title: "No such device" },
  invitation_not_found: { status: 404, title: "The invitation is no longer valid" },
  api_key_not_found: { status: 404, title: "No such API key" },
  delivery_not_found: { status: 404, title: "No such delivery" },
  body_timeout: { status: 408, title: "The body did not arrive in time" },
  delivery_pending: { status: 409, title: "The delivery is still pending" },
  delivery_settled: { status: 409, title: "The delivery is not pending" },
  delivery_superseded: { status: 409, title: "The delivery has been superseded" },
  profile_missing: { status: 409, title: "The profile has no base URL" },
  endpoint_disabled: { status: 409, title: "The endpoint is disabled" },
  already_invited: { status: 409, title: "This person has already been invited" },
  too_many_api_keys: { status: 409, title: "Too many API keys" },
  edit_conflict: { status: 409, title: "The profile was changed during the checks" },
  host_not_allowed: { status: 421, title: "The host name is not allowed" },
  contact_not_suggested: { status: 422, title: "No search suggested this person" },
  organisation_not_suggesting: { status: 422, title: "The organisation does not implement suggestions" },
  endpoint_check_failed: { status: 422, title: "The base URL did not pass its checks" },
  too_many_sign_ins: { status: 429, title: "Too many failed sign-ins" },
  too_many_invitations: { status: 429, title: "Too many invitations" },
  rate_limited: { status: 429, title: "Too many requests" },
  internal_error: { status: 500, title: "Something went wrong on our side" },
  service_unavailable: { status: 503, title: "Service unavailable" },
} as const satisfies Record<string, { status: number; title: string }>;

export type ProblemCode = keyof typeof problemKinds;

/** Maps the name of a parameter or field (`events[0].end`) to its remedies. */
export type FieldErrors = Map<string, string[]>;

/** The maximum number of invalid fields that a response lists. */
export const maxFields = 100;

export interface ProblemOptions extends ErrorOptions {
  errors?: FieldErrors | undefined;
  /** Extension members of the problem details (RFC 9457, 3.2). */
  extensions?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** An error that becomes a response with problem details (RFC 9457). Any code that a route calls may throw it. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";
  readonly code: ProblemCode;
  readonly status: number;
  readonly errors: FieldErrors | undefined;
  readonly extensions: Record<string, unknown>;
  readonly headers: Record<string, string>;

  /** @param detail explains to the caller how to resolve the problem */
  constructor(code: ProblemCode, detail: string, { errors, extensions, headers, ...options }: ProblemOptions = {}) {
    super(detail, options);
    this.code = code;
    this.status = problemKinds[code].status;
    this.errors = errors;
    this.extensions = extensions ?? {};
    this.headers = headers ?? {};
  }

  /** Returns the same problem with a different status. */
  withStatus(status: number): ProblemError {
    // `this` can be passed as the options, because it has the same fields.
    return Object.assign(new ProblemError(this.code, this.message, this), { status });
  }
}

/** Creates one error that reports all invalid fields of a request. */
export function invalidRequest(errors: FieldErrors): ProblemError {
  const fields = errors.size === 1 ? "1 field is" : `${errors.size} fields are`;
  const detail =
    errors.size < maxFields
      ? `${fields} not valid; see errors.`
      : `At least ${maxFields} fields are not valid; "errors" lists the first ${maxFields}.`;
  return new ProblemError("invalid_request", detail, { errors });
}

/**
 * Responds to every error that a route throws with problem details (RFC 9457), which reveal no internals. If a response has already
 * started, resets the connection instead.
 *
 * @param onUnexpected called with errors that are not a `ProblemError`: bugs, and failures of the store
 */
export const problemHandler =
  (onUnexpected: (error: unknown, response: Response) => void): ErrorRequestHandler =>
  (error: unknown, _request, response, _next) => {
    const problem = toProblem(error);
    // A `ProblemError` is always intentional, even with status 503.
    if (problem !== error && problem.status >= 500) onUnexpected(error, response);
    // A second response cannot be sent. Resetting the connection marks the first response as incomplete.
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
        type: `${errorDocsUrl}${code}`,
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

const databaseDetails = {
  database_lost: "The database is not ready. Nothing was changed. Try again in a moment.",
  store_stopped: "The database has stopped, so a change may or may not have been made. Try again in a moment.",
  commit_uncertain:
    "The database connection was lost while the change was being saved, so the change may have been made. Send the request again with " +
    "the same Idempotency-Key, so that it takes effect only once. Without a key, first check whether the change was made.",
};

/** Creates an error that asks load balancers, programs and users to try again after one second. */
export const serviceUnavailable = (detail: string, cause?: unknown): ProblemError =>
  new ProblemError("service_unavailable", detail, { cause, headers: { "Retry-After": "1" } });

/** Converts an error to the problem that the caller sees. */
export function toProblem(error: unknown): ProblemError {
  if (error instanceof ProblemError) return error;
  // Express throws a `URIError` if it cannot percent-decode the path.
  if (error instanceof URIError)
    return new ProblemError("malformed_url", "Percent-encode the URL as UTF-8.", { cause: error });
  if (error instanceof StoreError && error.code in databaseDetails)
    return serviceUnavailable(databaseDetails[error.code as keyof typeof databaseDetails], error);
  return new ProblemError("internal_error", "Try again. If the error persists, report its instance.", {
    cause: error,
  });
}
