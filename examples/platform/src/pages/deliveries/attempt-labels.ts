import type { AttemptFailureCode } from "../../delivery/attempt/attempt-delivery.ts";

const failures: Record<AttemptFailureCode, string> = {
  not_acknowledged: "only 200 acknowledges",
  internal_error: "internal error",
  invalid_address: "the base address is invalid",
  forbidden_address: "the base address resolves to a forbidden network",
  name_not_found: "the host name was not found",
  connection_refused: "connection refused",
  connect_timeout: "connection timed out",
  connection_lost: "connection lost",
  tls_failed: "TLS failed",
  aborted: "aborted when the platform stopped",
  timeout: "no complete response in time",
  request_too_large: "the request was too large",
  protocol_error: "the response was not valid HTTP",
};

/** The outcome of an attempt: `503; only 200 acknowledges`. */
export function attemptLabel({ status, error }: { status: number | null; error: string | null }): string {
  const response = status === null ? "no response" : `${status}`;
  if (error === null) return response;
  return `${response}; ${failures[error as AttemptFailureCode] ?? error}`;
}
