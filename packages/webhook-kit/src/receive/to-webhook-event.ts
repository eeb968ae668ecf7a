import type { HandlerContext } from "../handlers.ts";
import type { WebhookEvent } from "../webhook-event.ts";

/** @param data validated against the schema of the endpoint `type` */
export function toWebhookEvent(
  type: string,
  data: unknown,
  { receivedAt, deduplicationKey, unverifiedDeliveryId }: HandlerContext,
): WebhookEvent {
  return {
    type,
    data,
    receivedAt: receivedAt.toISOString(),
    ...(deduplicationKey !== undefined && { deduplicationKey }),
    ...(unverifiedDeliveryId !== undefined && { unverifiedDeliveryId }),
  } as WebhookEvent;
}
