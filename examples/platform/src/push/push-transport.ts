import type { OfferSummary } from "../mail/mail-text.ts";

export interface Device {
  id: string;
  workerId: string;
  platform: "ios" | "android";
  /** The token from the push service; null for a device that has only the notifications menu. */
  token: string | null;
}

export type NotificationReason = "offer" | "successful" | "unsuccessful" | "withdrawn";

/** A notification for one of a worker's devices. The notifications menu lists it. */
export interface Notification {
  id: number;
  workerId: string;
  /** Null if the worker had no device. */
  deviceId: string | null;
  offerId: string;
  offerTitle: string;
  reason: NotificationReason;
  createdAt: Date;
}

/** The push payload: a notification and the details that a phone shows. */
export interface Push extends Notification, OfferSummary {}

/** Why a notification is shown only in the menu. */
export type NotSentReason = "no_device" | "no_token" | "no_push_service" | "unregistered";

/** Sends notifications to workers' devices, through Firebase Cloud Messaging (D-79) or not at all (`menuOnlyTransport`). */
export interface PushTransport {
  /** Sends one push, within a time limit. Rejects if it should be retried. @returns why nothing was sent; undefined if the push service accepted the push */
  send(device: Device, push: Push): Promise<NotSentReason | undefined>;
  close?(): Promise<void>;
}

/** A transport that does not send pushes. The worker app reads notifications from the store and the notification feed. */
export const menuOnlyTransport: PushTransport = { send: async () => "no_push_service" };
