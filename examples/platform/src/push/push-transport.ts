export interface Device {
  id: string;
  workerId: string;
  platform: "ios" | "android";
  /** Of the push service; null for a device that is told through the notifications menu alone. */
  token: string | null;
}

export type NotificationReason = "offer" | "successful" | "unsuccessful" | "withdrawn";

/** What a worker is told, pushed to one device of theirs; the notifications menu is made of them. */
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

/** A way to workers' devices. `inbox` keeps to the worker app, `fcm` goes over Firebase Cloud Messaging (D-79). */
export interface PushTransport {
  /** Rejects when it should be tried again. */
  send(device: Device, notification: Notification): Promise<void>;
  close?(): Promise<void>;
}
