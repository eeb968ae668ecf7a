import { isDeepStrictEqual } from "node:util";
import type { OfferPicture } from "./offer-history.ts";

/** Which of the sentences that hold between any two looks at one offer do not, whatever was done in between. */
export function brokenInvariants(before: OfferPicture, after: OfferPicture): string[] {
  const wasClosed = before.complete || before.widthdrawn;
  const holds: Record<string, boolean> = {
    "a flag is never reset": (after.complete || !before.complete) && (after.widthdrawn || !before.widthdrawn),
    "a closed offer keeps its answers and confirmations": !wasClosed || sameRecipients(before, after),
    "each changed answer is one event with the webhook's word for it": isDeepStrictEqual(after.events, [
      ...before.events,
      ...changedAnswers(before, after),
    ]),
    "what was told stays told": Object.entries(before.told).every(([id, told]) =>
      isDeepStrictEqual(after.told[id]?.slice(0, told.length), told),
    ),
    "everybody addressed is told everything once, and nobody else anything": Object.keys(after.told).every((id) =>
      isDeepStrictEqual(after.told[id]?.map(subject), isAddressed(after, id) ? subjects(after) : []),
    ),
    "successful are exactly the confirmed": Object.entries(after.told).every(
      ([id, told]) => told.includes("successful") === isConfirmed(after, id),
    ),
    "confirmed are only those who applied, and of a complete offer at least one": after.complete
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

const changedAnswers = (before: OfferPicture, after: OfferPicture): OfferPicture["events"] =>
  after.recipients
    .filter(({ response }, index) => response !== before.recipients[index]?.response)
    .map(({ workerId, response }) => ({ organisation: "ours", workerId, response: words[response] ?? "no word" }));

const subject = (reason: string): string => (reason.endsWith("successful") ? "decision" : reason);

const subjects = ({ complete, widthdrawn }: OfferPicture): string[] => [
  "offer",
  ...(complete ? ["decision"] : []),
  ...(widthdrawn ? ["withdrawn"] : []),
];
