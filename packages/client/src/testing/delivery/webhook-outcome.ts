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
  /** Absent when no response came. */
  readonly status?: number;
  /** Absent when the status is 200, the only acknowledgement (D-13). */
  readonly failure?: "not_acknowledged" | "timeout" | "connection_refused" | "name_not_found" | "connection_lost";
  /** What the handler threw, or what `fetch` failed with. */
  readonly error?: unknown;
}

/** An outcome with what the service reads of the response. */
export interface ReceivedOutcome extends WebhookOutcome {
  readonly retryAfterMs?: number;
  readonly body?: Uint8Array;
  /** The body went on beyond what is read. */
  readonly isTruncated?: boolean;
}

/** Without the response's content. */
export const shownOutcome = ({ status, failure, error }: ReceivedOutcome): WebhookOutcome => ({
  ...(status !== undefined && { status }),
  ...(failure !== undefined && { failure }),
  ...(error !== undefined && { error }),
});
