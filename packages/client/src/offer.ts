/**
 * A time slot of the work: ISO 8601 date-times in UTC, or empty when the service sends none (D-126).
 *
 * @example
 * ```ts
 * import type { OfferEvent } from "@offers/client";
 *
 * export const hours = ({ start, end }: OfferEvent): number => (Date.parse(end) - Date.parse(start)) / 3_600_000;
 * ```
 */
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
  /** Id of the recipient entry: the one id that is a number. Undefined when the service sends none (D-126). */
  id: number | undefined;
  workerId: string;
  name: string;
  response: RecipientResponse;
  /** Empty when nothing is confirmed; interface.md does not show its other values (D-05). */
  confirmation: string;
}

/**
 * An offer of work (interface.md, "Offer"). Times are ISO 8601 strings in UTC. A field that the service leaves out, or sends as
 * null, has the empty value of its type: `""`, `[]` or `false` (D-126). Additional fields are kept.
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

/**
 * A time slot of an offer to be created. A string must say its zone (`Z` or an offset) and is sent in UTC; one without a
 * zone is refused before anything is sent (D-33).
 *
 * @example
 * ```ts
 * import type { OfferEventInput } from "@offers/client";
 *
 * export const lateShift: OfferEventInput = { start: "2099-05-01T18:00:00+02:00", end: new Date("2099-05-01T22:00:00Z") };
 * ```
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
