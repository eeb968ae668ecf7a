import { isDeepStrictEqual } from "node:util";
import type { OfferPicture } from "./offer-history.ts";

/** Checks the invariants that hold between two pictures of an offer, whatever happened in between. @returns the violated ones */
export function brokenInvariants(before: OfferPicture, after: OfferPicture): string[] {
  const wasClosed = before.complete || before.withdrawn;
  const holds: Record<string, boolean> = {
    "a flag is never reset": (after.complete || !before.complete) && (after.withdrawn || !before.withdrawn),
    "a closed offer keeps its responses and confirmations": !wasClosed || sameRecipients(before, after),
    "each changed response is one event with the webhook's value": isDeepStrictEqual(after.events, [
      ...before.events,
      ...changedResponses(before, after),
    ]),
    "notifications are never changed or removed": Object.entries(before.notifications).every(([id, earlier]) =>
      isDeepStrictEqual(after.notifications[id]?.slice(0, earlier.length), earlier),
    ),
    "every addressed worker is notified of everything once, and no other worker": Object.keys(
      after.notifications,
    ).every((id) =>
      isDeepStrictEqual(after.notifications[id]?.map(subject), isAddressed(after, id) ? subjects(after) : []),
    ),
    "exactly the confirmed workers are notified as successful": Object.entries(after.notifications).every(
      ([id, reasons]) => reasons.includes("successful") === isConfirmed(after, id),
    ),
    "only workers who applied are confirmed, at least one if the offer is complete": after.complete
      ? after.recipients.some(confirmed) && after.recipients.filter(confirmed).every(applied)
      : !after.recipients.some(confirmed),
  };
  return Object.keys(holds).filter((sentence) => !holds[sentence]);
}

type Recipient = OfferPicture["recipients"][number];

const applied = ({ response }: Recipient): boolean => response === "applied";
const confirmed = ({ confirmation }: Recipient): boolean => confirmation !== "";

const sameRecipients = (before: OfferPicture, after: OfferPicture): boolean =>
  isDeepStrictEqual(after.recipients, before.recipients);

const isAddressed = ({ recipients }: OfferPicture, id: string): boolean =>
  recipients.some(({ workerId }) => workerId === id);

const isConfirmed = ({ recipients }: OfferPicture, id: string): boolean =>
  recipients.some((one) => one.workerId === id && confirmed(one));

const words: Record<string, string> = { applied: "accepted", rejected: "rejected" };

const changedResponses = (before: OfferPicture, after: OfferPicture): OfferPicture["events"] =>
  after.recipients
    .filter(({ response }, index) => response !== before.recipients[index]?.response)
    .map(({ workerId, response }) => ({ organisation: "ours", workerId, response: words[response] ?? "none" }));

const subject = (reason: string): string => (reason.endsWith("successful") ? "decision" : reason);

const subjects = ({ complete, withdrawn }: OfferPicture): string[] => [
  "offer",
  ...(complete ? ["decision"] : []),
  ...(withdrawn ? ["withdrawn"] : []),
];
