/**
 * A time slot for the work. Both times are ISO 8601 strings in UTC, or empty if the service does not send them.
 *
 * @example
 * ```ts
 * import type { OfferEvent } from "@offers/client";
 *
 * export const durationHours = ({ start, end }: OfferEvent): number => (Date.parse(end) - Date.parse(start)) / 3_600_000;
 * ```
 */
export interface OfferEvent {
  /** When the work starts. */
  start: string;
  /** When the work ends. */
  end: string;
}

/**
 * A worker's current response: `applied`, or, on the reference platform, `rejected` or `none`. Any other value that the service sends is
 * passed on unchanged.
 */
export type RecipientResponse = "applied" | "rejected" | "none" | (string & {});

/**
 * A worker who was sent an offer.
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
  /** The id of this recipient entry, the only id that is a number. Undefined if the service does not send it. */
  id: number | undefined;
  /** The worker's id, as given in `workerIds`. */
  workerId: string;
  /** The worker's name. */
  name: string;
  /** The worker's current response. */
  response: RecipientResponse;
  /** The worker's confirmation; empty until the work is confirmed. The service does not document the other values. */
  confirmation: string;
}

/**
 * An offer of work. Times are ISO 8601 strings in UTC. A field that the service omits or sends as null gets the empty value for its type:
 * `""`, `[]` or `false`. Without its `id`, its `recipients` or their `workerId`, the call rejects. Additional fields are kept.
 *
 * @example
 * ```ts
 * import type { Offer } from "@offers/client";
 *
 * export const isOpen = ({ complete, widthdrawn }: Offer): boolean => !complete && !widthdrawn;
 * ```
 */
export interface Offer {
  /** The offer's id: pass it to the other methods. */
  id: string;
  /** The title that workers see. */
  title: string;
  /** The description that workers see; may be empty. */
  details: string;
  /** Whether the offer is in the past. */
  isHistoric: boolean;
  /** Whether the offer is withdrawn. The extra letter is the service's spelling. */
  widthdrawn: boolean;
  /** Whether the offer has been completed, that is, the workers who get the work have been chosen. */
  complete: boolean;
  /** Where the work takes place; the live service uses a Google place id. */
  locationPlaceId: string;
  /** When the offer was created. */
  createdAt: string;
  /** The time slots for the work. */
  events: OfferEvent[];
  /** The workers who were sent the offer, with their responses. */
  recipients: Recipient[];
}

/**
 * A time slot for a new offer. A string must include a time zone (`Z` or an offset). Without one, the call rejects before anything is sent.
 * Times are sent in UTC.
 *
 * @example
 * ```ts
 * import type { OfferEventInput } from "@offers/client";
 *
 * export const lateShift: OfferEventInput = { start: "2099-05-01T18:00:00+02:00", end: new Date("2099-05-01T22:00:00Z") };
 * ```
 */
export interface OfferEventInput {
  /** When the work starts. */
  start: Date | string;
  /** When the work ends; the service rejects a time that is not after `start`. */
  end: Date | string;
}

/**
 * The input for a new offer. Optional fields that you leave out are not sent.
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
  /** The id of a user in the organisation that owns the API key. */
  createdByUserId: string;
  /** The title that workers see. */
  title: string;
  /** The description that workers see. @default "" */
  details?: string | undefined;
  /** Where the work takes place; the live service expects a Google place id. */
  locationPlaceId?: string | undefined;
  /** The email address of the contact who is notified about the offer. */
  notifyEmailAddress?: string | undefined;
  /** At least one worker. A repeated id counts once. */
  workerIds: readonly string[];
  /** The time slots for the work. @default [] */
  events?: readonly OfferEventInput[] | undefined;
}
