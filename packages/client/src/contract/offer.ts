/** A time slot of the work, as the service sends it: ISO 8601 date-times in UTC (interface.md, "Offer"). */
export interface OfferEvent {
  start: string;
  end: string;
}

/**
 * A worker's current response. interface.md shows `applied` only; `rejected` and `none` are values of the reference platform
 * (D-04). The type is open: any other value is passed on.
 */
export type RecipientResponse = "applied" | "rejected" | "none" | (string & {});

/**
 * A worker to whom an offer was addressed (interface.md, "Recipient object").
 *
 * @example
 * ```ts
 * import type { Recipient } from "@offers/client";
 *
 * export const applicants = (recipients: Recipient[]): string[] =>
 *   recipients.filter(({ response }) => response === "applied").map(({ workerId }) => workerId);
 * ```
 */
export interface Recipient {
  /** Id of the recipient entry: the one id that is a number. */
  id: number;
  workerId: string;
  name: string;
  response: RecipientResponse;
  /** Empty when nothing is confirmed; interface.md does not show its other values (D-05). */
  confirmation: string;
}

/**
 * An offer of work, as the service sends it (interface.md, "Offer"). Times are ISO 8601 strings in UTC. A missing
 * field or one of another type makes the read an `InvalidResponseError` (D-97); additional fields are kept.
 *
 * @example
 * ```ts
 * import type { Offer } from "@offers/client";
 *
 * export const isOpen = ({ complete, widthdrawn }: Offer): boolean => !complete && !widthdrawn;
 * ```
 */
export interface Offer {
  id: string;
  title: string;
  details: string;
  /** Whether the offer lies in the past (D-06). */
  isHistoric: boolean;
  /** Whether the offer is withdrawn. The extra letter is the service's spelling. */
  widthdrawn: boolean;
  complete: boolean;
  locationPlaceId: string;
  createdAt: string;
  events: OfferEvent[];
  /** One per addressed worker. */
  recipients: Recipient[];
}
