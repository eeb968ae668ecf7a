import type { AnyWebhookKitError, ConfigurationError, HandlerError, UnavailableError } from "../errors.ts";
import type { Refusal } from "../observability/outcome.ts";
import type { RejectionReason, SignatureRefusal } from "../rejection.ts";
import { type Answer, type ProblemSummary, problemAnswer } from "./response.ts";

const failedCheck: ProblemSummary = {
  status: 401,
  code: "signature_refused",
  title: "The request does not prove that it comes from the service",
};

/** One answer for every failed check, so that the sender learns nothing that would help to forge (D-17). */
export function refuseSignature(refusal: SignatureRefusal, challenge: string, skewSeconds?: number): Refusal {
  const { reason, message } = refusal;
  const rejection = { reason, message, status: failedCheck.status };
  return {
    rejection: skewSeconds === undefined ? rejection : { ...rejection, skewSeconds },
    answer: problemAnswer(failedCheck, { "www-authenticate": challenge }),
  };
}

/** The statuses are our choice (D-17, D-46); 409 is D-45. */
const refusals = {
  unknown_path: { status: 404, title: "No webhook has this path" },
  endpoint_not_mounted: { status: 404, title: "This receiver does not implement this endpoint" },
  method_not_allowed: { status: 405, title: "This endpoint does not take this method" },
  unsupported_media_type: {
    status: 415,
    title: "The body must be JSON",
    detail: "Send Content-Type: application/json in UTF-8, without Content-Encoding.",
  },
  body_too_large: { status: 413, title: "The body is too large" },
  body_too_slow: { status: 408, title: "The body did not arrive in time" },
  body_incomplete: { status: 400, title: "The body ended before it was complete" },
  body_not_utf8: { status: 400, title: "The body is not valid UTF-8" },
  body_not_json: { status: 400, title: "The body is not valid JSON" },
  invalid_payload: { status: 400, title: "The payload is not valid", detail: "See errors." },
  already_in_progress: { status: 409, title: "The same request is being handled" },
} as const satisfies Partial<Record<RejectionReason, Omit<ProblemSummary, "code">>>;

/**
 * Something that the sender must do differently; told openly, but never with a value that was sent (D-49).
 *
 * @param extra.advice what this side may do about it, for `onRejected` alone
 */
export function refuseRequest(
  reason: keyof typeof refusals,
  extra: { headers?: Record<string, string>; errors?: Record<string, string[]>; advice?: string } = {},
): Refusal {
  const { status, title, ...rest } = refusals[reason];
  const fields = extra.errors ? `: ${Object.keys(extra.errors).join(", ")}` : "";
  const problem = { status, code: reason, title, ...rest, ...(extra.errors && { errors: extra.errors }) };
  return {
    rejection: { reason, message: `${title}${fields}.${extra.advice ? ` ${extra.advice}` : ""}`, status },
    answer: problemAnswer(problem, extra.headers),
  };
}

const internalError: ProblemSummary = {
  status: 500,
  code: "internal_error",
  title: "Something went wrong on this side",
};
const unavailable: ProblemSummary = { status: 503, code: "temporarily_unavailable", title: "Try again later" };

/** Faults that pass, by their codes: the error's class may be that of another copy of this package. */
const passing = {
  secret_lookup_failed: true,
  secret_unusable: true,
  scheme_failed: true,
  receipts_full: true,
  receipts_failed: true,
  handler_timed_out: true,
} as const satisfies Record<UnavailableError["code"] | Extract<HandlerError["code"], "handler_timed_out">, true>;

/** What the sender is told of a fault on this side: whether trying again may help, and nothing else (D-17, D-49). */
export function failureAnswer(error: AnyWebhookKitError): Answer {
  if (error.code === ("body_already_consumed" satisfies ConfigurationError["code"]))
    return problemAnswer({ ...internalError, code: error.code, detail: error.message });
  return problemAnswer(Object.hasOwn(passing, error.code) ? unavailable : internalError);
}
