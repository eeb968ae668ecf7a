import type { Verified } from "./observability/observer.ts";

/**
 * What `verifyWebhook` leaves on the request, and `verifyRequest` answers: the sender holds the secret.
 *
 * @example
 * ```ts
 * import type { VerifiedWebhook } from "@offers/webhook-kit";
 *
 * export const labelOf = ({ verified, unverifiedDeliveryId }: VerifiedWebhook): string =>
 *   `${unverifiedDeliveryId ?? "without id"}, secret ${verified.secretIndex}`;
 * ```
 */
export interface VerifiedWebhook {
  readonly verified: Verified;
  /** The header `Offers-Delivery-Id`; not covered by the signature. */
  readonly unverifiedDeliveryId: string | undefined;
  readonly receivedAt: Date;
  /** The bytes that the signature covers; only under a scheme that covers the body. */
  readonly body: Uint8Array | undefined;
}
