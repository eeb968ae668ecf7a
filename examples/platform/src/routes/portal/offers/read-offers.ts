import { type SqlBool, sql } from "kysely";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import { epochMicroseconds, olderThan } from "../../../http/keyset.ts";
import { createListCursor, type ListPage } from "../../../http/list-cursor.ts";
import { offerNotFound } from "../../../offers/apply-action.ts";
import { offerFlags } from "../../../offers/read-offer.ts";
import type { RecipientResponse } from "../../../offers/transition.ts";
import { placeName } from "../../../store/place-name.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";

export type ListedOffer = Awaited<ReturnType<typeof readOffers>>["rows"][number];

const cursor = createListCursor("offers", /./);

/** Reads the offers of the user's organisations, newest first, with the number of workers for each response. */
async function readOffers(
  { store, now }: PortalDeps,
  { organisationIds }: SignedInPerson,
  { before, limit }: ListPage,
) {
  const offerRows = await store.db
    .selectFrom("offers")
    .select(["id", "title", "created_at as createdAt", "ends_at", "completed_at", "withdrawn_at"])
    .select(epochMicroseconds("offers.created_at").as("position"))
    .select(responseCounts)
    .where("organisation_id", "in", organisationIds)
    .where(olderThan(["offers.created_at", "offers.id"], before))
    .orderBy("created_at", "desc")
    .orderBy("id", "desc")
    .limit(limit + 1)
    .execute();
  const at = now();
  const { rows, next } = cursor.toPage(offerRows, limit, (row) => row);
  const offers = rows.map(({ id, title, createdAt, responses, ...times }) => {
    return { id, title, createdAt, ...offerFlags(times, at), responses };
  });
  return { rows: offers, next };
}

export const offerList = { cursor, read: readOffers };

/** An offer with all the details that its organisation may see. */
export type OfferDetails = Awaited<ReturnType<typeof readOfferDetails>>;
export type RecipientDetails = OfferDetails["recipients"][number];

export interface RecipientQuery {
  /** The id of the last recipient on the previous page. */
  after?: number | undefined;
  limit: number;
}

/**
 * Reads an offer with one page of its recipients, applicants first. Without a query, reads no recipients.
 *
 * @throws {ProblemError} `offer_not_found`, even for another organisation's offer
 */
export async function readOfferDetails(
  { store, now }: Pick<PortalDeps, "store" | "now">,
  { organisationIds }: Pick<SignedInPerson, "organisationIds">,
  offerId: string,
  { after, limit }: RecipientQuery = { limit: 0 },
) {
  const offer = await store.db
    .selectFrom("offers")
    .selectAll()
    .select(({ selectFrom }) => [
      jsonArrayFrom(
        selectFrom("recipients")
          .innerJoin("workers", "workers.id", "recipients.worker_id")
          .select(["recipients.id", "worker_id as workerId", "name", "response", "confirmation"])
          .select(["opened_at as openedAt", "responded_at as respondedAt", "closed_at as closedAt"])
          .whereRef("offer_id", "=", "offers.id")
          .orderBy(({ eb }) => eb("response", "=", "applied"), "desc")
          .orderBy("recipients.id")
          .$if(after !== undefined, (query) => query.where(isAfterRecipient(after ?? 0)))
          .limit(limit),
      ).as("recipients"),
      // The creator may belong to an agency rather than this organisation.
      selectFrom("people").select("name").whereRef("people.id", "=", "created_by_user_id").as("createdBy"),
      selectFrom("organisations")
        .select("name")
        .whereRef("organisations.id", "=", "offers.organisation_id")
        .as("organisationName"),
    ])
    .select([responseCounts, placeName.as("place")])
    .where("id", "=", offerId)
    .where("organisation_id", "in", organisationIds)
    .executeTakeFirst();
  if (offer === undefined) throw offerNotFound();
  return { ...offer, ...offerFlags(offer, now()) };
}

/** Reads the given workers who have applied to the offer, sorted by name. */
export const readApplicants = ({ store }: Pick<PortalDeps, "store">, offerId: string, workerIds: readonly string[]) =>
  store.db
    .selectFrom("recipients")
    .innerJoin("workers", "workers.id", "recipients.worker_id")
    .select(["worker_id as workerId", "name"])
    .where("offer_id", "=", offerId)
    .where("response", "=", "applied")
    .where(sql<SqlBool>`worker_id in (select json_array_elements_text(${JSON.stringify(workerIds)}::text::json))`)
    .orderBy("name")
    .orderBy("worker_id")
    .execute();

/** Builds a SQL condition for the recipients that are listed after this recipient, according to their current responses. */
const isAfterRecipient = (id: number) => sql<SqlBool>`(response <> 'applied', recipients.id) > (
  select last.response <> 'applied', last.id from recipients as last where last.id = ${id} and last.offer_id = offers.id)`;

/** A SQL expression for the number of workers for each response. */
export const responseCounts = sql<Record<RecipientResponse, number>>`(
  select json_build_object(
    'applied', count(*) filter (where response = 'applied'),
    'rejected', count(*) filter (where response = 'rejected'),
    'none', count(*) filter (where response = 'none')
  )
  from recipients where offer_id = offers.id
)`.as("responses");
