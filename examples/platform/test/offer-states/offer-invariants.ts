import { isDeepStrictEqual } from "node:util";
import type { OfferSnapshot } from "./offer-history.ts";

/** Checks the invariants that hold between an earlier and a later snapshot of an offer. @returns the violated invariants */
export function findBrokenInvariants(before: OfferSnapshot, after: OfferSnapshot): string[] {
  const wasClosed = before.complete || before.withdrawn;
  const invariants: Record<string, boolean> = {
    "a flag is never reset": (after.complete || !before.complete) && (after.withdrawn || !before.withdrawn),
    "a closed offer keeps its responses and confirmations": !wasClosed || sameRecipients(before, after),
    "each changed response causes one event with the webhook's word for it": isDeepStrictEqual(after.events, [
      ...before.events,
      ...changedResponses(before, after),
    ]),
    "notifications are never changed or removed": Object.entries(before.notifications).every(([id, earlier]) =>
      isDeepStrictEqual(after.notifications[id]?.slice(0, earlier.length), earlier),
    ),
    "each worker the offer was sent to is notified of everything once, and no other worker is": Object.keys(
      after.notifications,
    ).every((id) =>
      isDeepStrictEqual(after.notifications[id]?.map(topicOf), isAddressed(after, id) ? expectedTopics(after) : []),
    ),
    "exactly the confirmed workers are notified as successful": Object.entries(after.notifications).every(
      ([id, reasons]) => reasons.includes("successful") === isConfirmed(after, id),
    ),
    "only workers who applied are confirmed, at least one if the offer is complete": after.complete
      ? after.recipients.some(confirmed) && after.recipients.filter(confirmed).every(applied)
      : !after.recipients.some(confirmed),
  };
  return Object.keys(invariants).filter((name) => !invariants[name]);
}

type Recipient = OfferSnapshot["recipients"][number];

const applied = ({ response }: Recipient): boolean => response === "applied";
const confirmed = ({ confirmation }: Recipient): boolean => confirmation !== "";

const sameRecipients = (before: OfferSnapshot, after: OfferSnapshot): boolean =>
  isDeepStrictEqual(after.recipients, before.recipients);

const isAddressed = ({ recipients }: OfferSnapshot, id: string): boolean =>
  recipients.some(({ workerId }) => workerId === id);

const isConfirmed = ({ recipients }: OfferSnapshot, id: string): boolean =>
  recipients.some((recipient) => recipient.workerId === id && confirmed(recipient));

const webhookWords: Record<string, string> = { applied: "accepted", rejected: "rejected" };

const changedResponses = (before: OfferSnapshot, after: OfferSnapshot): OfferSnapshot["events"] =>
  after.recipients
    .filter(({ response }, index) => response !== before.recipients[index]?.response)
    .map(({ workerId, response }) => ({ organisation: "ours", workerId, response: webhookWords[response] ?? "none" }));

const topicOf = (reason: string): string => (reason.endsWith("successful") ? "decision" : reason);

const expectedTopics = ({ complete, withdrawn }: OfferSnapshot): string[] => [
  "offer",
  ...(complete ? ["decision"] : []),
  ...(withdrawn ? ["withdrawn"] : []),
];
