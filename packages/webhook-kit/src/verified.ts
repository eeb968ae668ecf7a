/**
 * The result of one verified request. Watch `variant` to learn which digest the service uses, `secretIndex` to see when
 * an old secret is no longer used, `skewSeconds` to see a clock drift before it costs requests.
 *
 * @example
 * ```ts
 * import type { Verified } from "@offers/webhook-kit";
 *
 * export const usesOldSecret = ({ secretIndex }: Verified): boolean => secretIndex > 0;
 * ```
 */
export interface Verified {
  readonly scheme: string;
  /** `sha256` or `hmac` under the default scheme. */
  readonly variant: string;
  /** Which of the secrets, counted from 0. */
  readonly secretIndex: number;
  /** How far the timestamp lies from your clock; negative is the past, 0 is within the signed minute. */
  readonly skewSeconds: number;
}

/**
 * A request whose sender holds the secret: what `verifyWebhook` sets on the request, and `verifyRequest` returns.
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
  /** The signed bytes; only under a scheme that signs the body. */
  readonly body: Uint8Array | undefined;
}
