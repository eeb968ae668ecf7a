import type { RejectionReason } from "../rejection.ts";

/** What the sender gets when a request is rejected or fails. The code is stable, and never says why verification failed. */
export interface ProblemSummary {
  readonly status: number;
  readonly code: string;
  readonly title: string;
  readonly detail?: string;
  readonly errors?: Readonly<Record<string, readonly string[]>>;
}

/** The same for every failed verification (D-17). */
export const failedCheck: ProblemSummary = { status: 401, code: "invalid_signature", title: "Invalid signature" };

/** The mistakes of the sender that the response may name. */
export type NamedReason = Extract<
  RejectionReason,
  | "unknown_path"
  | "handler_not_configured"
  | "method_not_allowed"
  | "unsupported_media_type"
  | "body_too_large"
  | "body_timeout"
  | "body_incomplete"
  | "invalid_encoding"
  | "malformed_json"
  | "invalid_request"
  | "request_in_progress"
>;

/** Of the mistakes that the response may name. The statuses are our choice (D-17, D-46); 409 is D-45. */
export const requestProblems: Record<NamedReason, Omit<ProblemSummary, "code">> = {
  unknown_path: { status: 404, title: "No webhook has this path" },
  handler_not_configured: { status: 404, title: "This receiver does not implement this endpoint" },
  method_not_allowed: { status: 405, title: "This endpoint does not take this method" },
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
  request_in_progress: { status: 409, title: "The same request is being handled" },
};

export const internalError: ProblemSummary = {
  status: 500,
  code: "internal_error",
  title: "Something went wrong on this side",
};
export const unavailable: ProblemSummary = { status: 503, code: "temporarily_unavailable", title: "Try again later" };
