/**
 * A time slot of an offer to be created. A string must say its zone (`Z` or an offset) and is sent in UTC; one without a
 * zone is refused before anything is sent (D-33).
 */
export interface OfferEventInput {
  start: Date | string;
  /** The service checks that it is after `start`. */
  end: Date | string;
}

/**
 * An offer to be created (interface.md, "Offer creation body"). Which fields are required is our choice (D-01).
 *
 * @example
 * ```ts
 * import type { OfferInput } from "@offers/client";
 *
 * export const kitchenHelp: OfferInput = {
 *   createdByUserId: "user_hana",
 *   title: "Kitchen help on Friday",
 *   workerIds: ["worker_amal", "worker_ben"],
 *   events: [{ start: "2099-05-01T16:00:00Z", end: "2099-05-01T22:00:00Z" }],
 * };
 * ```
 */
export interface OfferInput {
  /** A user of the organisation whose API key is used (D-37). */
  createdByUserId: string;
  title: string;
  details?: string | undefined;
  /** The live service takes the id of a Google place. */
  locationPlaceId?: string | undefined;
  /** Email address of the contact to be notified about the offer (D-38). */
  notifyEmailAddress?: string | undefined;
  /** At least one; a repeated id addresses the worker once (D-30). */
  workerIds: readonly string[];
  events?: readonly OfferEventInput[] | undefined;
}
