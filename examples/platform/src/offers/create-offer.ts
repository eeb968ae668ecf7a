import { randomUUID } from "node:crypto";
import { compareDateTimes } from "@offers/contract/date-time";
import type { offerCreationSchema } from "@offers/contract/schemas";
import { sql } from "kysely";
import type { z } from "zod";
import { notifyWorkers } from "../push/notify-workers.ts";
import { announce, type Trx } from "../store/store.ts";
import { activeTrace } from "../tracing/tracing.ts";
import type { OfferDeps } from "./offer-deps.ts";
import { emailOfferCreated } from "./offer-mails.ts";

export type OfferCreation = z.infer<typeof offerCreationSchema>;

/**
 * Creates the offer, its recipients, their notifications and the email to its contact, in the caller's transaction.
 *
 * @param input from `checkCreation`
 * @returns the offer's id
 */
export async function createOffer(
  trx: Trx,
  deps: Pick<OfferDeps, "linkTo">,
  organisationId: string,
  input: OfferCreation,
): Promise<string> {
  const id = `offer_${randomUUID()}`;
  const events = input.events ?? [];
  // D-30: a worker receives the offer once, even if the worker's id is repeated.
  const workerIds = [...new Set(input.workerIds)];
  const offer = {
    id,
    organisation_id: organisationId,
    title: input.title,
    location_place_id: input.locationPlaceId ?? "",
    notify_email_address: input.notifyEmailAddress ?? null,
  };
  await trx
    .insertInto("offers")
    .values({
      ...offer,
      created_by_user_id: input.createdByUserId,
      details: input.details ?? "",
      events: JSON.stringify(events),
      ends_at: lastEnd(events),
      work_from: firstStart(events) ?? "infinity",
      trace: activeTrace(),
    })
    .execute();
  await insertRecipients(trx, id, workerIds);
  await emailOfferCreated(trx, deps, { ...offer, events }, workerIds.length);
  await notifyWorkers(trx, { offerId: id, workerIds, reason: "offer" });
  announce(trx, { topic: "offer", organisationId });
  return id;
}

/** Inserts the recipients in the order of the ids. */
async function insertRecipients(trx: Trx, offerId: string, workerIds: readonly string[]): Promise<void> {
  // Use one JSON parameter, because PostgreSQL takes longer to parse 10,000 rows of values than to insert them.
  await sql`
    insert into recipients (offer_id, worker_id)
    select ${offerId}, worker_id
    from json_array_elements_text(${JSON.stringify(workerIds)}::text::json) with ordinality as workers (worker_id, place)
    order by place`.execute(trx);
}

function firstStart(events: readonly { start: string }[]): Date | undefined {
  if (events.length === 0) return undefined;
  return new Date(Math.min(...events.map(({ start }) => Date.parse(start))));
}

function lastEnd(events: readonly { end: string }[]): Date | null {
  if (events.length === 0) return null;
  return new Date(Math.max(...events.map(({ end }) => roundUpToMs(end))));
}

/** Rounds up, because the clock that ends an offer counts milliseconds, and Date ignores the digits after the third (D-96). */
function roundUpToMs(time: string): number {
  const ms = Date.parse(time);
  return compareDateTimes(time, new Date(ms).toISOString()) > 0 ? ms + 1 : ms;
}
