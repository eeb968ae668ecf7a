import type { Notification } from "../push/push-transport.ts";

/** An entry of the worker's notifications menu. */
export const menuEntry = ({ id, offerId, offerTitle, reason, createdAt }: Notification) => ({
  id,
  offerId,
  offerTitle,
  reason,
  successful: reason === "successful" ? true : reason === "unsuccessful" ? false : null,
  createdAt: createdAt.toISOString(),
});

/** The same for notifications to several devices, which the menu shows once. */
export const notificationKey = ({ offerId, reason }: Notification): string => `${reason} ${offerId}`;

/** Removes the notifications to further devices, and keeps the order. */
export function deduplicate(notifications: readonly Notification[]): Notification[] {
  const seen = new Set<string>();
  return notifications.filter((notification) => {
    const before = seen.size;
    return seen.add(notificationKey(notification)).size > before;
  });
}
