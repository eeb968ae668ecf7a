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

/** Sends notifications to workers' devices, through Firebase Cloud Messaging (D-79) or not at all (`inboxTransport`). */
export interface PushTransport {
  /** Sends one push. Rejects if it should be retried. */
  send(device: Device, push: Push): Promise<void>;
  close?(): Promise<void>;
}

/** A transport that does not send pushes. The worker app reads notifications from the store and the notification feed. */
export const inboxTransport: PushTransport = { send: async () => undefined };
