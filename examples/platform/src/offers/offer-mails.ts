import { responseDigestMinutes } from "../generated/decisions.ts";
import { offerSummary, toEmailLine } from "../mail/mail-text.ts";
import {
  type EmailToSend,
  earliestChangeableDue,
  enqueueDigest,
  enqueueEmails,
  type Moment,
} from "../mail/write-mails.ts";
import { placeName } from "../store/place-name.ts";
import type { Trx } from "../store/store.ts";
import type { OfferEventValue } from "../store/tables.ts";
import type { OfferDeps } from "./offer-deps.ts";

/** The fields of an offer that its emails need. */
export interface MailedOffer {
  id: string;
  organisation_id: string;
  title: string;
  /** The contact's address; null if the offer has no contact. No emails are sent in that case. */
  notify_email_address: string | null;
  events: readonly OfferEventValue[];
}

type MailDeps = Pick<OfferDeps, "linkTo">;

/** The maximum number of workers to list by name. An email only counts the others. */
const maxListedNames = 20;

/** Emails the offer's contact that the offer was created (D-38). */
export async function emailOfferCreated(
  trx: Trx,
  deps: MailDeps,
  offer: MailedOffer,
  recipientCount: number,
): Promise<void> {
  if (offer.notify_email_address === null) return;
  const title = toEmailLine(offer.title);
  const workers = recipientCount === 1 ? "1 worker" : `${recipientCount} workers`;
  const line = `The offer "${title}" was created and sent to ${workers}.`;
  const body = await composeBody(trx, deps, offer, [line]);
  await enqueueEmails(trx, [{ to_address: offer.notify_email_address, subject: `Offer created: ${title}`, body }]);
}

/** Emails the offer's contact a digest of the workers' responses, a few minutes after the first of them (D-121). */
export async function emailResponses(trx: Trx, deps: MailDeps, offer: MailedOffer): Promise<void> {
  const { id, notify_email_address: address } = offer;
  if (address === null) return;
  await enqueueDigest(trx, { key: id, delayMinutes: responseDigestMinutes }, async (since) => ({
    to_address: address,
    ...(await composeResponseDigest(trx, deps, offer, since)),
  }));
}

/** Composes the digest of the responses since a time. Lists up to 20 of them, and counts the responses to the offer in total. */
async function composeResponseDigest(
  trx: Trx,
  deps: MailDeps,
  offer: MailedOffer,
  since: Moment,
): Promise<Pick<EmailToSend, "subject" | "body">> {
  const responses = await trx
    .selectFrom("recipients")
    .innerJoin("workers", "workers.id", "worker_id")
    .select(["name", "response"])
    .where("offer_id", "=", offer.id)
    .where("responded_at", ">=", since)
    .orderBy("responded_at")
    .orderBy("recipients.id")
    .execute();
  const { applied, rejected, none } = await countResponses(trx, offer.id);
  const title = toEmailLine(offer.title);
  const lines = [
    title,
    "",
    ...responses.slice(0, maxListedNames).map(({ name, response }) => `${toEmailLine(name)} ${response}`),
    ...(responses.length > maxListedNames ? [`and ${responses.length - maxListedNames} more`] : []),
    "",
    `In total, ${applied} applied, ${rejected} rejected, and ${none} ${none === 1 ? "has" : "have"} not responded.`,
  ];
  const count = responses.length === 1 ? "1 response" : `${responses.length} responses`;
  return { subject: `${count}: ${title}`, body: await composeBody(trx, deps, offer, lines) };
}

/** Emails the offer's contact that the offer is complete or withdrawn. Deletes a pending digest of responses (D-121). */
export async function emailOfferClosed(
  trx: Trx,
  deps: MailDeps,
  offer: MailedOffer,
  action: "complete" | "withdraw",
): Promise<void> {
  const { id, notify_email_address: address } = offer;
  if (address === null) return;
  await trx.deleteFrom("mails").where("digest_of", "=", id).where("due_at", ">", earliestChangeableDue).execute();
  const title = toEmailLine(offer.title);
  const mail =
    action === "complete"
      ? {
          subject: `Offer complete: ${title}`,
          lines: [`The offer "${title}" is complete.`, "", ...(await describeAssignedWorkers(trx, id))],
        }
      : {
          subject: `Offer withdrawn: ${title}`,
          lines: [`The offer "${title}" was withdrawn. All workers who received it will be notified.`],
        };
  const body = await composeBody(trx, deps, offer, mail.lines);
  await enqueueEmails(trx, [{ to_address: address, subject: mail.subject, body }]);
}

async function describeAssignedWorkers(trx: Trx, offerId: string): Promise<string[]> {
  const workers = await trx
    .selectFrom("recipients")
    .innerJoin("workers", "workers.id", "worker_id")
    .select("name")
    .where("offer_id", "=", offerId)
    .where("confirmation", "<>", "")
    .orderBy("recipients.id")
    .execute();
  const names = workers.slice(0, maxListedNames).map(({ name }) => `${toEmailLine(name)} gets the work`);
  return workers.length > maxListedNames ? [...names, `and ${workers.length - maxListedNames} more`] : names;
}

async function countResponses(trx: Trx, offerId: string) {
  const rows = await trx
    .selectFrom("recipients")
    .select(({ fn }) => ["response", fn.countAll<string>().as("count")])
    .where("offer_id", "=", offerId)
    .groupBy("response")
    .execute();
  const getCount = (name: string): number => Number(rows.find(({ response }) => response === name)?.count ?? 0);
  return { applied: getCount("applied"), rejected: getCount("rejected"), none: getCount("none") };
}

/** Composes the email body: the lines, the offer's times in the organisation's time zone, its place, and the URL of the offer page. */
async function composeBody(
  trx: Trx,
  { linkTo }: MailDeps,
  offer: MailedOffer,
  lines: readonly string[],
): Promise<string> {
  const { timeZone, place } = await trx
    .selectFrom("offers")
    .innerJoin("organisations", "organisations.id", "offers.organisation_id")
    .select(["organisations.time_zone as timeZone", placeName.as("place")])
    .where("offers.id", "=", offer.id)
    .where("offers.organisation_id", "=", offer.organisation_id)
    .executeTakeFirstOrThrow();
  const summary = offerSummary({ events: offer.events, place, timeZone });
  const link = linkTo(`/offers/${encodeURIComponent(offer.id)}`);
  return [...lines, "", ...(summary.length > 0 ? [...summary, ""] : []), link, ""].join("\n");
}
