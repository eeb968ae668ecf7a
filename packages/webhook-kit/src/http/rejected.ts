import type { RejectionFacts, SignatureProblem } from "../rejection.ts";
import { failedCheck, type NamedReason, requestProblems } from "./problem-kinds.ts";
import { problemResponse, type WebhookResponse } from "./response.ts";

/**
 * Thrown by a step of the pipeline that rejects the request. Not an Error: capturing a stack costs more than verifying a
 * signature, and an attacker could make a server capture many.
 */
export class Rejected {
  readonly rejection: RejectionFacts;
  readonly response: WebhookResponse;

  constructor(rejection: RejectionFacts, response: WebhookResponse) {
    this.rejection = rejection;
    this.response = response;
  }
}

/** The same response for every failed check: the reason would help an attacker (D-17). */
export function rejectSignature(
  { reason, message }: SignatureProblem,
  wwwAuthenticate: string,
  skewSeconds?: number,
): Rejected {
  const rejection = { reason, message, status: failedCheck.status, ...(skewSeconds !== undefined && { skewSeconds }) };
  return new Rejected(rejection, problemResponse(failedCheck, { "www-authenticate": wwwAuthenticate }));
}

/**
 * A mistake of the sender. The response names it, without any value of the request (D-49).
 *
 * @param extra.advice what the receiver's operator can do about it, for `onRejected` only
 */
export function rejectRequest(
  reason: NamedReason,
  extra: { headers?: Record<string, string>; errors?: Record<string, string[]>; advice?: string } = {},
): Rejected {
  const { status, title, ...rest } = requestProblems[reason];
  const fields = extra.errors ? `: ${Object.keys(extra.errors).join(", ")}` : "";
  const problem = { status, code: reason, title, ...rest, ...(extra.errors && { errors: extra.errors }) };
  return new Rejected(
    { reason, message: `${title}${fields}.${extra.advice ? ` ${extra.advice}` : ""}`, status },
    problemResponse(problem, extra.headers),
  );
}
