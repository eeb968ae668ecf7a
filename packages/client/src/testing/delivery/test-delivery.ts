import type { WebhookOutcome } from "./webhook-outcome.ts";

/** An event, with the payload of its webhook. @inline */
export type WebhookEvent =
  | {
      /** A worker responded to an offer. */
      readonly type: "workerOfferResponse";
      /** The webhook's payload. */
      readonly data: {
        /** The offer's id. */
        readonly offerId: string;
        /** The id of the worker who responded. */
        readonly workerId: string;
        /** The worker's response. */
        readonly response: "accepted" | "rejected";
      };
    }
  | {
      /** A worker added a contact at the organisation. */
      readonly type: "workerAddedContact";
      /** The webhook's payload. */
      readonly data: {
        /** The id of the worker who added the contact. */
        readonly workerId: string;
      };
    };

/**
 * One attempt to deliver an event.
 *
 * @example
 * ```ts
 * import type { TestAttempt } from "@offers/client/testing";
 *
 * export const formatAttempt = ({ number, at, status, failure }: TestAttempt): string =>
 *   `${number}, ${at.toISOString()}: ${status ?? failure}`;
 * ```
 */
export interface TestAttempt extends WebhookOutcome {
  /** The number of the attempt, from 1; a redelivery starts again at 1. */
  readonly number: number;
  /** When the attempt was made, on the service's clock. */
  readonly at: Date;
}

/**
 * An event that is being or has been delivered to the receiver.
 *
 * @example
 * ```ts
 * import type { TestDelivery } from "@offers/client/testing";
 *
 * export const isRetried = ({ attempts, nextAttemptAt }: TestDelivery): boolean =>
 *   attempts.length > 0 && nextAttemptAt !== undefined;
 * ```
 */
export type TestDelivery = WebhookEvent & {
  /** The `Offers-Delivery-Id` of every attempt. */
  readonly id: string;
  /**
   * `failed`: no attempts are left. `held`: the delivery waits because the endpoint is disabled. `not_implemented`: the receiver leaves
   * this optional event out, so it is not sent again.
   */
  readonly state: "pending" | "acknowledged" | "failed" | "held" | "not_implemented";
  /** All attempts, oldest first, including those before a redelivery. */
  readonly attempts: readonly TestAttempt[];
  /** The status of the last attempt; absent if there was no attempt or no response. */
  readonly status?: number;
  /**
   * When the next attempt is due. Absent if there will be no attempt, or while an older response by the same worker to the same offer is
   * pending.
   */
  readonly nextAttemptAt?: Date;
};
