import { sql } from "kysely";
import { enqueueEmails } from "../mail/write-mails.ts";
import type { Trx } from "../store/store.ts";
import type { DisabledBecause } from "../store/tables.ts";

/** Returns the URL of a page. */
export type LinkTo = (path: string) => string;

type EndpointChange = "failing" | "disabled" | "recovered";

const subjects: Record<EndpointChange, string> = {
  failing: "your webhooks are failing",
  disabled: "your webhook endpoint is disabled",
  recovered: "your webhooks are being delivered again",
};

const reasons: Record<DisabledBecause, string> = {
  gone: "responded with 410 Gone",
  failing:
    "has not acknowledged any worker's response for five days (only status 200 does; 204, which many frameworks send when a handler returns nothing, does not)",
};

/** Emails each user of the organisation that its endpoint is disabled (D-73). Call it in the transaction that disables the endpoint. */
export const emailEndpointDisabled = (trx: Trx, organisationId: string, because: DisabledBecause, linkTo: LinkTo) =>
  emailUsers(
    trx,
    organisationId,
    "disabled",
    ({ address, eventsAre }) =>
      `Your organisation's webhook endpoint ${address} ${reasons[because]}, so we have disabled it. Nothing is lost: ${eventsAre} \
kept, as are new ones. We will deliver them in order once you enable the endpoint.\n\nCheck and enable it: ${linkTo("/company#health")}`,
  );

/** The minimum time between two emails that report an endpoint as failing. */
const failingEmailIntervalMs = 24 * 60 * 60_000;

/** Emails each user that deliveries are paused after failures (D-72). Call it in the transaction that starts the first pause. */
export async function emailEndpointFailing(trx: Trx, organisationId: string, now: Date, linkTo: LinkTo): Promise<void> {
  if (await wasEmailed(trx, organisationId, "failing", new Date(now.getTime() - failingEmailIntervalMs))) return;
  await emailUsers(
    trx,
    organisationId,
    "failing",
    ({ address, eventsAre }) =>
      `Your organisation's webhook endpoint ${address} is failing, so deliveries pause between attempts. Nothing is lost: ${eventsAre} \
waiting and will be retried for days.\n\nSee the endpoint's responses: ${linkTo("/deliveries?state=pending")}\nRetry immediately once it works again: ${linkTo("/company#health")}`,
  );
}

/**
 * Emails each user that the endpoint has recovered, if an earlier email reported that it failed.
 *
 * @param since when it started to fail
 */
export async function emailEndpointRecovered(
  trx: Trx,
  organisationId: string,
  since: Date,
  linkTo: LinkTo,
): Promise<void> {
  const wasReported =
    (await wasEmailed(trx, organisationId, "disabled", since)) ||
    (await wasEmailed(trx, organisationId, "failing", since));
  if (!wasReported) return;
  await emailUsers(
    trx,
    organisationId,
    "recovered",
    ({ address, eventsAre }) =>
      `Your organisation's webhook endpoint ${address} works again: ${eventsAre} being delivered, the oldest first. Deliveries \
that failed in the meantime are not retried automatically.\n\nSee which deliveries failed: ${linkTo("/deliveries?state=dead")}`,
  );
}

const usersQuery = (trx: Trx, organisationId: string) =>
  trx
    .selectFrom("people")
    .innerJoin("person_email_addresses", "person_id", "people.id")
    .innerJoin("organisations", "organisations.id", "people.organisation_id")
    .distinctOn("people.id")
    .select(["people.name", "email_address as address", "organisations.name as organisation"])
    .where("people.organisation_id", "=", organisationId)
    .orderBy("people.id")
    .orderBy("email_address");

/** The tolerated clock difference: `since` is from this process's clock, but `created_at` is from the database's clock. */
const clockToleranceMs = 60_000;

/** Returns whether a user of the organisation has been emailed about this change since a time. */
async function wasEmailed(trx: Trx, organisationId: string, change: EndpointChange, since: Date): Promise<boolean> {
  const email = await trx
    .selectFrom(usersQuery(trx, organisationId).as("recipients"))
    .innerJoin("mails", "to_address", "recipients.address")
    .select("mails.id")
    .where("subject", "=", sql<string>`recipients.organisation || ': ' || ${subjects[change]}`)
    .where("mails.created_at", ">=", new Date(since.getTime() - clockToleranceMs))
    .limit(1)
    .executeTakeFirst();
  return email !== undefined;
}

/** The values that an email about an endpoint contains. */
interface EndpointInMail {
  address: string;
  /** The number of pending events and the verb, such as `12 events are`. */
  eventsAre: string;
}

/** Emails each user of the organisation at one address. Does nothing if the organisation has no users. */
async function emailUsers(
  trx: Trx,
  organisationId: string,
  change: EndpointChange,
  composeText: (endpoint: EndpointInMail) => string,
): Promise<void> {
  const users = await usersQuery(trx, organisationId).execute();
  if (users.length === 0) return;
  const { address, pending } = await trx
    .selectFrom("endpoints")
    .select(["base_address as address"])
    .select(({ selectFrom, fn }) =>
      selectFrom("deliveries")
        .select(fn.countAll<string>().as("count"))
        .whereRef("deliveries.organisation_id", "=", "endpoints.organisation_id")
        .where("state", "=", sql.lit("pending" as const))
        .as("pending"),
    )
    .where("organisation_id", "=", organisationId)
    .executeTakeFirstOrThrow();
  const count = Number(pending);
  const eventsAre = count === 1 ? "1 event is" : `${count} events are`;
  const emails = users.map(({ name, address: to_address, organisation }) => ({
    to_address,
    subject: `${organisation}: ${subjects[change]}`,
    body: `Dear ${name},\n\n${composeText({ address, eventsAre })}\n`,
  }));
  await enqueueEmails(trx, emails);
}
