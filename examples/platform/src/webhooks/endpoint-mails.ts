import { sql } from "kysely";
import { writeMails } from "../mail/write-mails.ts";
import type { Trx } from "../store/store.ts";
import type { DisabledBecause } from "../store/tables.ts";

/** The URL of a page. */
export type LinkTo = (path: string) => string;

type News = "failing" | "disabled" | "recovered";

const subjects: Record<News, string> = {
  failing: "your webhooks are failing",
  disabled: "your webhooks are switched off",
  recovered: "your webhooks are delivered again",
};

const reasons: Record<DisabledBecause, string> = {
  gone: "responded that it is gone for good (410)",
  failing:
    "has acknowledged nothing for five days (only a response with 200 does; 204, which many frameworks send for a handler that returns nothing, does not)",
};

/** Mails each person of the organisation that its endpoint is disabled (D-73), in the transaction that disables it. */
export const mailDisabled = (trx: Trx, organisationId: string, because: DisabledBecause, linkTo: LinkTo) =>
  mailPeople(
    trx,
    organisationId,
    "disabled",
    ({ address, waiting }) =>
      `Your organisation's webhook endpoint ${address} ${reasons[because]}, so we call it no more. Nothing is lost: ${waiting} \
kept, and so is what happens meanwhile. All of it is delivered in its order once you switch the endpoint on.\n\nCheck and switch it on: ${linkTo("/company#health")}`,
  );

/** An endpoint that fails, recovers and fails again is reported once within this time. */
const failingAgainMs = 24 * 60 * 60_000;

/** Mails each person that deliveries are paused after failures (D-72), in the transaction that starts the first pause. */
export async function mailFailing(trx: Trx, organisationId: string, now: Date, linkTo: LinkTo): Promise<void> {
  if (await wasMailed(trx, organisationId, "failing", new Date(now.getTime() - failingAgainMs))) return;
  await mailPeople(
    trx,
    organisationId,
    "failing",
    ({ address, waiting }) =>
      `Your organisation's webhook endpoint ${address} fails, so deliveries pause between attempts. Nothing is lost: ${waiting} \
waiting, and retried for days.\n\nSee what it responds: ${linkTo("/deliveries?state=pending")}\nRetry at once when it works again: ${linkTo("/company#health")}`,
  );
}

/**
 * Mails each person that the endpoint has recovered, if its failure was reported.
 *
 * @param since when it started to fail
 */
export async function mailRecovered(trx: Trx, organisationId: string, since: Date, linkTo: LinkTo): Promise<void> {
  const wasTold =
    (await wasMailed(trx, organisationId, "disabled", since)) ||
    (await wasMailed(trx, organisationId, "failing", since));
  if (!wasTold) return;
  await mailPeople(
    trx,
    organisationId,
    "recovered",
    ({ address, waiting }) =>
      `Your organisation's webhook endpoint ${address} works again: ${waiting} being delivered, the oldest first. Deliveries \
that were given up meanwhile are not sent again by themselves.\n\nSee what is left: ${linkTo("/deliveries?state=dead")}`,
  );
}

const peopleOf = (trx: Trx, organisationId: string) =>
  trx
    .selectFrom("people")
    .innerJoin("person_email_addresses", "person_id", "people.id")
    .innerJoin("organisations", "organisations.id", "people.organisation_id")
    .distinctOn("people.id")
    .select(["people.name", "email_address as address", "organisations.name as organisation"])
    .where("people.organisation_id", "=", organisationId)
    .orderBy("people.id")
    .orderBy("email_address");

/** A tolerance, because mails are dated by the database's clock at the start of their transaction. */
const clockMs = 60_000;

async function wasMailed(trx: Trx, organisationId: string, news: News, since: Date): Promise<boolean> {
  const mailed = await trx
    .selectFrom(peopleOf(trx, organisationId).as("told"))
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
  /** `12 events are` */
  waiting: string;
}

async function mailPeople(
  trx: Trx,
  organisationId: string,
  news: News,
  text: (endpoint: EndpointInMail) => string,
): Promise<void> {
  const people = await peopleOf(trx, organisationId).execute();
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
  const mails = people.map(({ name, address: to_address, organisation }) => ({
    to_address,
    subject: `${organisation}: ${subjects[news]}`,
    body: `Dear ${name},\n\n${text({ address, waiting })}\n`,
  }));
  await writeMails(trx, mails);
}
