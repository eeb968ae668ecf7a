import type { WebhookOutcome } from "./webhook-outcome.ts";

/** What happened, with the payload of its webhook (D-14). @inline */
export type WebhookEvent =
  | {
      readonly type: "workerOfferResponse";
      readonly data: {
        readonly offerId: string;
        readonly workerId: string;
        readonly response: "accepted" | "rejected";
      };
    }
  | { readonly type: "workerAddedContact"; readonly data: { readonly workerId: string } };

/**
 * One attempt at a delivery.
 *
 * @example
 * ```ts
 * import type { TestAttempt } from "@offers/client/testing";
 *
 * export const line = ({ number, at, status, failure }: TestAttempt): string =>
 *   `${number}, ${at.toISOString()}: ${status ?? failure}`;
 * ```
 */
export interface TestAttempt extends WebhookOutcome {
  /** From 1; a redelivery starts again. */
  readonly number: number;
  readonly at: Date;
}

/**
 * An event on its way to the receiver.
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
  /** `failed`: its last attempt failed. `held`: it waits, since the endpoint is disabled (D-73). */
  readonly state: "pending" | "acknowledged" | "failed" | "held";
  /** The oldest first, those before a redelivery included. */
  readonly attempts: readonly TestAttempt[];
  /** Of the last attempt; absent when there was none, or no response. */
  readonly status?: number;
  /** Absent when no attempt follows, or only after an older response of the same worker to the same offer (D-32). */
  readonly nextAttemptAt?: Date;
};
