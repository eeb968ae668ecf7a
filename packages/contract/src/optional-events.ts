/**
 * Whether an organisation may leave out the webhook of this event. Attempts to deliver an optional event do not affect the health of the
 * organisation's endpoint (D-152).
 */
export const isOptionalEvent = (type: string): boolean => type !== "workerOfferResponse";

/** The statuses with which servers respond to a path or a method that they do not implement. */
const notImplementedStatuses = new Set([404, 405, 410, 501]);

/** Whether the response means that an optional event is not implemented, so that it is not sent again (D-152). */
export function isNotImplemented({
  type,
  status,
  hasAcknowledged,
}: {
  type: string;
  /** Undefined if there was no response. */
  status: number | undefined;
  /** Whether the base URL has acknowledged an event of this type before. If it has, the same status means that something is broken. */
  hasAcknowledged: boolean;
}): boolean {
  return isOptionalEvent(type) && !hasAcknowledged && status !== undefined && notImplementedStatuses.has(status);
}
