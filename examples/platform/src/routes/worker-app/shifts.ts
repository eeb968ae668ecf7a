import { type SqlBool, sql } from "kysely";
import { epochMicroseconds, newerThan } from "../../http/keyset.ts";
import { createListCursor, type ListPage } from "../../http/list-cursor.ts";
import { placeName } from "../../store/place-name.ts";
import type { WorkerAppDeps } from "./worker.ts";

export type WorkerShift = Awaited<ReturnType<typeof readShifts>>["rows"][number];

const cursor = createListCursor("shifts", /./);

/** Reads the worker's confirmed shifts that have not ended, earliest first (D-118). */
const readShifts = async (deps: Deps, { id }: { id: string }, { before, limit }: ListPage) => {
  const rows = await unfinishedWorkQuery(deps, id)
    .orderBy("offers.work_from")
    .orderBy("offers.id")
    .where("confirmation", "<>", "")
    .where("withdrawn_at", "is", null)
    .where(newerThan(["offers.work_from", "offers.id"], before))
    .limit(limit + 1)
    .execute();
  return cursor.toPage(rows, limit, (row) => row);
};

export const shifts = { cursor, read: readShifts };

/** Reads the offers that are waiting for the worker's response, newest first. */
export const readOpenOffers = (deps: Deps, workerId: string, limit: number) =>
  openOfferQuery(deps, workerId)
    .orderBy("offers.created_at", "desc")
    .orderBy("offers.work_from")
    .limit(limit)
    .execute();

/** Reads the open offers that the worker has not seen, newest first. */
export const readNewOffers = (deps: Deps, workerId: string) =>
  openOfferQuery(deps, workerId)
    .where("opened_at", "is", null)
    .orderBy("offers.created_at", "desc")
    .orderBy("offers.id", "desc")
    .limit(maxNewOffers)
    .execute();

/** The maximum number of new offers to read and count. */
const maxNewOffers = 100;

const openOfferQuery = (deps: Deps, workerId: string) =>
  unfinishedWorkQuery(deps, workerId)
    .where("response", "=", "none")
    .where("withdrawn_at", "is", null)
    .where("completed_at", "is", null);

type Deps = Pick<WorkerAppDeps, "store" | "now">;

const unfinishedWorkQuery = ({ store, now }: Deps, workerId: string) =>
  store.db
    .selectFrom("recipients")
    .innerJoin("offers", "offers.id", "recipients.offer_id")
    .innerJoin("organisations", "organisations.id", "offers.organisation_id")
    .select(["offers.id", "title", "events", placeName.as("place"), "opened_at as openedAt"])
    .select(["organisations.name as organisationName"])
    .select(epochMicroseconds("offers.work_from").as("position"))
    .where("worker_id", "=", workerId)
    .where(sql<SqlBool>`(ends_at is null or ends_at > ${now()})`);
