import { isDeepStrictEqual } from "node:util";
import type { OfferSnapshot } from "./offer-history.ts";

/** Checks the invariants that hold between an earlier and a later snapshot of an offer. @returns the violated invariants */
export function findBrokenInvariants(before: OfferSnapshot, after: OfferSnapshot): string[] {
  const wasClosed = before.complete || before.withdrawn;
  const invariants: Record<string, boolean> = {
    "a flag is never reset": (after.complete || !before.complete) && (after.withdrawn || !before.withdrawn),
    "a closed offer does not change its responses and confirmations": !wasClosed || haveSameRecipients(before, after),
    "each changed response causes one event with the webhook's value for it": isDeepStrictEqual(after.events, [
      ...before.events,
      ...listChangedResponses(before, after),
    ]),
    "notifications are never changed or removed": Object.entries(before.notifications).every(([id, earlier]) =>
      isDeepStrictEqual(after.notifications[id]?.slice(0, earlier.length), earlier),
    ),
    "each recipient is notified of everything once, and no other worker is notified": Object.keys(
      after.notifications,
    ).every((id) =>
      isDeepStrictEqual(after.notifications[id]?.map(toTopic), isRecipient(after, id) ? listExpectedTopics(after) : []),
    ),
    "exactly the confirmed workers are notified as successful": Object.entries(after.notifications).every(
      ([id, reasons]) => reasons.includes("successful") === isConfirmed(after, id),
    ),
    "only workers who applied are confirmed, at least one if the offer is complete": after.complete
      ? after.recipients.some(hasConfirmation) && after.recipients.filter(hasConfirmation).every(hasApplied)
      : !after.recipients.some(hasConfirmation),
  };
  return Object.keys(invariants).filter((name) => !invariants[name]);
}

type Recipient = OfferSnapshot["recipients"][number];

const hasApplied = ({ response }: Recipient): boolean => response === "applied";
const hasConfirmation = ({ confirmation }: Recipient): boolean => confirmation !== "";

const haveSameRecipients = (before: OfferSnapshot, after: OfferSnapshot): boolean =>
  isDeepStrictEqual(after.recipients, before.recipients);

const isRecipient = ({ recipients }: OfferSnapshot, id: string): boolean =>
  recipients.some(({ workerId }) => workerId === id);

const isConfirmed = ({ recipients }: OfferSnapshot, id: string): boolean =>
  recipients.some((recipient) => recipient.workerId === id && hasConfirmation(recipient));

const webhookValues: Record<string, string> = { applied: "accepted", rejected: "rejected" };

const listChangedResponses = (before: OfferSnapshot, after: OfferSnapshot): OfferSnapshot["events"] =>
  after.recipients
    .filter(({ response }, index) => response !== before.recipients[index]?.response)
    .map(({ workerId, response }) => ({ organisation: "ours", workerId, response: webhookValues[response] ?? "none" }));

/** Returns what a notification is about. Both `successful` and `unsuccessful` are about the decision. */
const toTopic = (reason: string): string => (reason.endsWith("successful") ? "decision" : reason);

const listExpectedTopics = ({ complete, withdrawn }: OfferSnapshot): string[] => [
  "offer",
  ...(complete ? ["decision"] : []),
  ...(withdrawn ? ["withdrawn"] : []),
];
