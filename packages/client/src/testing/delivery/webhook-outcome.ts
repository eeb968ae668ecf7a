/**
 * The outcome of one request to the receiver.
 *
 * @example
 * ```ts
 * import type { WebhookOutcome } from "@offers/client/testing";
 *
 * export const isRejected = ({ status }: WebhookOutcome): boolean => status === 401;
 * ```
 */
export interface WebhookOutcome {
  /** The HTTP status; absent without a response. */
  readonly status?: number;
  /** Why the request failed; absent for status 200, the only acknowledgement. */
  readonly failure?: "not_acknowledged" | "timeout" | "connection_refused" | "name_not_found" | "connection_lost";
  /** What the handler or `fetch` threw. */
  readonly error?: unknown;
}

/** An outcome with the parts of the response that the service reads. */
export interface ReceivedOutcome extends WebhookOutcome {
  /** The delay that `Retry-After` asks for. */
  readonly retryAfterMs?: number;
  /** The part of the body that was read. */
  readonly body?: Uint8Array;
  /** Whether the body is longer than what was read. */
  readonly isTruncated?: boolean;
}

/** Returns the outcome without the response's content. */
export const toWebhookOutcome = ({ status, failure, error }: ReceivedOutcome): WebhookOutcome => ({
  ...(status !== undefined && { status }),
  ...(failure !== undefined && { failure }),
  ...(error !== undefined && { error }),
});
