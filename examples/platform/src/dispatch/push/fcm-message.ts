import { offerSummary } from "../mail/offer-summary.ts";
import type { Device, NotificationReason, Push } from "./push-transport.ts";

/** What the phone shows above the offer's title. */
const titles: Record<NotificationReason, string> = {
  offer: "You are offered work",
  successful: "You got the work",
  unsuccessful: "Others got the work",
  withdrawn: "The offer is withdrawn",
};

const daySeconds = 24 * 60 * 60;

/** The service refuses a message of more than 4 kB; an offer's title may be longer, a phone shows a line or two. */
const maxTitleLength = 200;

/**
 * The message for Firebase Cloud Messaging: the words to show, and the ids with which the worker app opens the offer. A phone
 * shows one entry for each offer, its latest word: a notification sent twice is seen once, and a withdrawal takes the
 * place of the offer. `sequence` is the notification's number, which ascends: an app can detect a push that the service held up
 * on its way from a newer one (D-99).
 *
 * @see https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages
 */
export function fcmMessage(
  { platform, token }: Device,
  { id, offerId, offerTitle, reason, ...work }: Push,
  now: Date,
): object {
  const title = [...offerTitle].slice(0, maxTitleLength).join("");
  const lines = offerSummary(work).map((line) => line.replace(/^\w+: /, ""));
  const notification = { title: titles[reason], body: [title, ...lines].join("\n") };
  const message = { token, notification, data: { sequence: String(id), offerId, reason } };
  if (platform === "android")
    return { ...message, android: { priority: "HIGH", ttl: `${daySeconds}s`, notification: { tag: offerId } } };
  const headers = {
    "apns-push-type": "alert",
    "apns-priority": "10",
    "apns-expiration": String(Math.floor(now.getTime() / 1_000) + daySeconds),
    "apns-collapse-id": offerId,
  };
  return { ...message, apns: { headers, payload: { aps: { sound: "default", "thread-id": offerId } } } };
}
