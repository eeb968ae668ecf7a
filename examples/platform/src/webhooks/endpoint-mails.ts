import { sql } from "kysely";
import { enqueueEmails } from "../mail/write-mails.ts";
import type { Trx } from "../store/store.ts";
import type { DisabledBecause } from "../store/tables.ts";

/** Returns the URL of a page. */
export type LinkTo = (path: string) => string;

type News = "failing" | "disabled" | "recovered";

const subjects: Record<News, string> = {
  failing: "your webhooks are failing",
  disabled: "your webhook endpoint is disabled",
  recovered: "your webhooks are being delivered again",
};

const reasons: Record<DisabledBecause, string> = {
  gone: "responded with 410 Gone",
  failing:
    "has acknowledged nothing for five days (only a response with 200 does; 204, which many frameworks send for a handler that returns nothing, does not)",
};

/** Emails each user of the organisation that its endpoint is disabled (D-73), in the transaction that disables it. */
export const emailEndpointDisabled = (trx: Trx, organisationId: string, because: DisabledBecause, linkTo: LinkTo) =>
  emailPeople(
    trx,
    organisationId,
    "disabled",
    ({ address, waiting }) =>
      `Your organisation's webhook endpoint ${address} ${reasons[because]}, so we have disabled it. Nothing is lost: ${waiting} \
kept, and so are new ones. They are all delivered in order once you enable the endpoint.\n\nCheck and enable it: ${linkTo("/company#health")}`,
  );

/** How long an endpoint that fails again after recovering is not reported again. */
const failingAgainMs = 24 * 60 * 60_000;

/** Emails each user that deliveries are paused after failures (D-72), in the transaction that starts the first pause. */
export async function emailEndpointFailing(trx: Trx, organisationId: string, now: Date, linkTo: LinkTo): Promise<void> {
  if (await wasEmailed(trx, organisationId, "failing", new Date(now.getTime() - failingAgainMs))) return;
  await emailPeople(
    trx,
    organisationId,
    "failing",
    ({ address, waiting }) =>
      `Your organisation's webhook endpoint ${address} is failing, so deliveries pause between attempts. Nothing is lost: ${waiting} \
waiting, and will be retried for days.\n\nSee its responses: ${linkTo("/deliveries?state=pending")}\nRetry immediately once it works again: ${linkTo("/company#health")}`,
  );
}

/**
 * Emails each user that the endpoint has recovered, if its failure was reported.
 *
 * @param since when it started to fail
 */
export async function emailEndpointRecovered(
  trx: Trx,
  organisationId: string,
  since: Date,
  linkTo: LinkTo,
): Promise<void> {
  const wasTold =
    (await wasEmailed(trx, organisationId, "disabled", since)) ||
    (await wasEmailed(trx, organisationId, "failing", since));
  if (!wasTold) return;
  await emailPeople(
    trx,
    organisationId,
    "recovered",
    ({ address, waiting }) =>
      `Your organisation's webhook endpoint ${address} works again: ${waiting} being delivered, the oldest first. Deliveries \
that failed in the meantime are not retried automatically.\n\nSee which deliveries failed: ${linkTo("/deliveries?state=dead")}`,
  );
}

const peopleQuery = (trx: Trx, organisationId: string) =>
  trx
    .selectFrom("people")
    .innerJoin("person_email_addresses", "person_id", "people.id")
    .innerJoin("organisations", "organisations.id", "people.organisation_id")
    .distinctOn("people.id")
    .select(["people.name", "email_address as address", "organisations.name as organisation"])
    .where("people.organisation_id", "=", organisationId)
    .orderBy("people.id")
    .orderBy("email_address");

/** A tolerance, because the database's clock dates emails at the start of their transaction. */
const clockMs = 60_000;

async function wasEmailed(trx: Trx, organisationId: string, news: News, since: Date): Promise<boolean> {
  const mailed = await trx
    .selectFrom(peopleQuery(trx, organisationId).as("told"))
    .innerJoin("mails", "to_address", "told.address")
    .select("mails.id")
    .where("subject", "=", sql<string>`told.organisation || ': ' || ${subjects[news]}`)
    .where("mails.created_at", ">=", new Date(since.getTime() - clockMs))
    .limit(1)
    .executeTakeFirst();
  return mailed !== undefined;
}

interface EndpointInMail {
  address: string;
  /** The number of pending events with its verb, such as `12 events are`. */
  waiting: string;
}

async function emailPeople(
  trx: Trx,
  organisationId: string,
  news: News,
  text: (endpoint: EndpointInMail) => string,
): Promise<void> {
  const people = await peopleQuery(trx, organisationId).execute();
  if (people.length === 0) return;
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
  const waiting = count === 1 ? "1 event is" : `${count} events are`;
  const emails = people.map(({ name, address: to_address, organisation }) => ({
    to_address,
    subject: `${organisation}: ${subjects[news]}`,
    body: `Dear ${name},\n\n${text({ address, waiting })}\n`,
  }));
  await enqueueEmails(trx, emails);
}
