import type { RejectionCode, RejectionFacts, SignatureProblem } from "../errors/rejection.ts";
import { type ProblemSummary, problemResponse, type WebhookResponse } from "./response.ts";

/** The response to every failed verification (D-17). */
export const failedVerification: ProblemSummary = {
  status: 401,
  code: "invalid_signature",
  title: "Invalid signature",
};

/** The problems that a response may reveal to the sender. The statuses are our choice (D-17, D-46); for 409 see D-45. */
export const requestProblems = {
  unknown_path: { status: 404, title: "No webhook has this path" },
  handler_not_configured: { status: 404, title: "This receiver does not implement this endpoint" },
  method_not_allowed: { status: 405, title: "This endpoint does not allow this method" },
  unsupported_media_type: {
    status: 415,
    title: "The body must be JSON",
    detail: "Send Content-Type: application/json in UTF-8, without Content-Encoding.",
  },
  body_too_large: { status: 413, title: "The body is too large" },
  body_timeout: { status: 408, title: "The body did not arrive in time" },
  body_incomplete: { status: 400, title: "The body ended before it was complete" },
  invalid_encoding: { status: 400, title: "The body is not valid UTF-8" },
  malformed_json: { status: 400, title: "The body is not valid JSON" },
  invalid_request: { status: 400, title: "The payload is not valid", detail: "See errors." },
  request_in_progress: { status: 409, title: "The same request is already being handled" },
} satisfies Partial<Record<RejectionCode, Omit<ProblemSummary, "code">>>;

/** The code of a problem that a response may reveal. */
export type RevealedCode = keyof typeof requestProblems;

/**
 * Thrown by a pipeline step that rejects the request. It is not an Error, because capturing a stack costs more than verifying a signature,
 * and an attacker could make a server capture many.
 */
export class Rejected {
  readonly rejection: RejectionFacts;
  readonly response: WebhookResponse;

  constructor(rejection: RejectionFacts, response: WebhookResponse) {
    this.rejection = rejection;
    this.response = response;
  }
}

/** Creates the rejection for a failed verification. The response is always the same, because the reason would help an attacker (D-17). */
export function createSignatureRejection(
  { code, message }: SignatureProblem,
  wwwAuthenticate: string,
  skewSeconds?: number,
): Rejected {
  const rejection = {
    code,
    message,
    status: failedVerification.status,
    ...(skewSeconds !== undefined && { skewSeconds }),
  };
  return new Rejected(rejection, problemResponse(failedVerification, { "www-authenticate": wwwAuthenticate }));
}

/** The maximum number of fields in a message. A payload may have thousands of invalid fields. */
const maxListedFields = 10;

/**
 * Creates the rejection for a problem that the sender caused. The response describes the problem, but contains no value from the request
 * (D-49).
 *
 * @param extra.advice what the receiver's operator can do, for `onRejected` and the log only
 */
export function createRejection(
  code: RevealedCode,
  extra: { headers?: Record<string, string>; errors?: Record<string, string[]>; advice?: string } = {},
): Rejected {
  const { status, title, ...rest }: Omit<ProblemSummary, "code"> = requestProblems[code];
  const names = Object.keys(extra.errors ?? {});
  const listedNames = names.length > maxListedFields ? [...names.slice(0, maxListedFields), "…"] : names;
  const fields = names.length > 0 ? `: ${listedNames.join(", ")}` : "";
  const problem = { status, code, title, ...rest, ...(extra.errors && { errors: extra.errors }) };
  return new Rejected(
    { code, message: `${title}${fields}.${extra.advice ? ` ${extra.advice}` : ""}`, status },
    problemResponse(problem, extra.headers),
  );
}
