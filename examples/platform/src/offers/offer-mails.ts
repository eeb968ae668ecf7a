import { sql } from "kysely";
import { responseDigestMinutes } from "../generated/decisions.ts";
import { offerSummary, toEmailLine } from "../mail/mail-text.ts";
import { enqueueDigest, enqueueEmails } from "../mail/write-mails.ts";
import { placeName } from "../store/place-name.ts";
import type { Trx } from "../store/store.ts";
import type { OfferEventValue } from "../store/tables.ts";
import type { OfferDeps } from "./offer-deps.ts";

/** The fields of an offer that its emails need. */
export interface MailedOffer {
  id: string;
  organisation_id: string;
  title: string;
  notify_email_address: string | null;
  events: readonly OfferEventValue[];
}

type MailDeps = Pick<OfferDeps, "now" | "linkTo">;

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

/** Emails the workers' responses to the offer's contact, combined into one email (D-121). */
export async function emailResponses(trx: Trx, deps: MailDeps, offer: MailedOffer): Promise<void> {
  const { id, notify_email_address: address } = offer;
  if (address === null) return;
  const at = deps.now();
  await enqueueDigest(trx, { key: id, at, delayMinutes: responseDigestMinutes }, async (since) => {
    const responses = await trx
      .selectFrom("recipients")
      .innerJoin("workers", "workers.id", "worker_id")
      .select(["name", "response"])
      .where("offer_id", "=", id)
      .where("responded_at", ">=", since)
      .orderBy("responded_at")
      .orderBy("recipients.id")
      .execute();
    const { applied, rejected, none } = await countResponses(trx, id);
    const lines = [
      ...responses.slice(0, maxListedNames).map(({ name, response }) => `${toEmailLine(name)} ${response}`),
      ...(responses.length > maxListedNames ? [`and ${responses.length - maxListedNames} more`] : []),
      "",
      `In total, ${applied} applied, ${rejected} rejected, and ${none} ${none === 1 ? "has" : "have"} not responded.`,
    ];
    const title = toEmailLine(offer.title);
    const count = responses.length === 1 ? "1 response" : `${responses.length} responses`;
    return {
      to_address: address,
      subject: `${count}: ${title}`,
      body: await composeBody(trx, deps, offer, [title, "", ...lines]),
    };
  });
}

/** Emails the offer's contact that the offer is complete or withdrawn. Deletes a pending email about responses (D-121). */
export async function emailOfferClosed(
  trx: Trx,
  deps: MailDeps,
  offer: MailedOffer,
  action: "complete" | "withdraw",
): Promise<void> {
  const { id, notify_email_address: address } = offer;
  if (address === null) return;
  await trx
    .deleteFrom("mails")
    .where("digest_of", "=", id)
    .where("due_at", ">", sql<Date>`now() + interval '10 s'`)
    .execute();
  const title = toEmailLine(offer.title);
  const mail =
    action === "complete"
      ? {
          subject: `Offer complete: ${title}`,
          lines: [`The offer "${title}" is complete.`, "", ...(await listAssignedWorkers(trx, id))],
        }
      : {
          subject: `Offer withdrawn: ${title}`,
          lines: [`The offer "${title}" was withdrawn. All workers who received it will be notified.`],
        };
  const body = await composeBody(trx, deps, offer, mail.lines);
  await enqueueEmails(trx, [{ to_address: address, subject: mail.subject, body }]);
}

async function listAssignedWorkers(trx: Trx, offerId: string): Promise<string[]> {
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
