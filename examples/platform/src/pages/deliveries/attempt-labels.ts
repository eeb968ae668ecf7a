import type { AttemptFailureCode } from "../../delivery/attempt-delivery.ts";

const failures: Record<AttemptFailureCode, string> = {
  not_acknowledged: "only 200 acknowledges",
  internal_error: "something went wrong on our side",
  invalid_address: "the base address is not usable",
  forbidden_address: "the base address leads to where requests may not go",
  name_not_found: "the name in the base address was not found",
  connection_refused: "nothing listened at the base address",
  connect_timeout: "no connection in time",
  connection_lost: "the connection was lost",
  tls_failed: "no trusted https connection",
  aborted: "it was broken off when the platform stopped",
  timeout: "no complete answer in time",
  request_too_large: "the request was too large",
  protocol_error: "the answer was not valid HTTP",
};

/** What came of an attempt, in words: `answered 503; only 200 acknowledges`. */
export function attemptLabel({ status, error }: { status: number | null; error: string | null }): string {
  const answered = status === null ? "no answer" : `answered ${status}`;
  if (error === null) return answered;
  return `${answered}; ${failures[error as AttemptFailureCode] ?? error}`;
}
