import type { OfferSummary } from "../mail/mail-text.ts";

export interface Device {
  id: string;
  workerId: string;
  platform: "ios" | "android";
  /** The push service's token; null for a device that has only the notifications menu. */
  token: string | null;
}

export type NotificationReason = "offer" | "successful" | "unsuccessful" | "withdrawn";

/** A notification for one device of a worker; the notifications menu lists them. */
export interface Notification {
  id: number;
  workerId: string;
  /** Null for a worker without a device. */
  deviceId: string | null;
  offerId: string;
  offerTitle: string;
  reason: NotificationReason;
  createdAt: Date;
}

/** The push payload: a notification with the details that a phone shows. */
export interface Push extends Notification, OfferSummary {}

/** Sends notifications to workers' devices: not at all (`inboxTransport`), or by Firebase Cloud Messaging (D-79). */
export interface PushTransport {
  /** Rejects when the push should be retried. */
  send(device: Device, push: Push): Promise<void>;
  close?(): Promise<void>;
}

/** Sends nothing: the worker app reads notifications from the store, and gets new ones from the notification feed. */
export const inboxTransport: PushTransport = { send: async () => undefined };
