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

/** A worker is told a thing once, on each device; the menu shows it once. This names the thing. */
export const toldOf = ({ offerId, reason }: Notification): string => `${reason} ${offerId}`;

/** Each thing the worker was told, once, in the order of `notifications`. */
export function eachOnce(notifications: readonly Notification[]): Notification[] {
  const told = new Set<string>();
  return notifications.filter((notification) => {
    const before = told.size;
    return told.add(toldOf(notification)).size > before;
  });
}
