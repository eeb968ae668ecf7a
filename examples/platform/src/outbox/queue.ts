import { type RawBuilder, sql } from "kysely";
import type { Topic, Trx } from "../store/store.ts";
import type { QueueName } from "../store/tables.ts";

/** A table used as a work queue: a row is pending while `due_at` is set. */
export interface OutboxQueue {
  name: QueueName;
  /** The topics whose signals mean that rows may be due. */
  wokenBy: readonly Topic[];
  table: "deliveries" | "notifications" | "mails";
  /** The numeric column that identifies a leased row. */
  id: "sequence" | "id";
  /**
   * The column that contains a row's lane. Rows in one lane share its capacity, and lanes take turns, so that a slow lane does not
   * block the others (head-of-line blocking). If omitted, all rows are in one lane.
   */
  lane?: "organisation_id" | "offer_id";
  /** Builds a query for a lane's state. The query returns no row if the lane is closed indefinitely. */
  laneState: (lane: RawBuilder<unknown>) => RawBuilder<LaneState>;
  /** A SQL condition: whether the row `head` must wait for another row of its lane. `open_lane` is the lane's state. */
  isBlocked?: RawBuilder<boolean>;
}

/** The columns that the query from `laneState` returns. */
export interface LaneState {
  /** How many rows may be attempted concurrently, by all processes together; 0 while the lane is closed. */
  capacity: number;
  /** When a temporarily closed lane opens. Null or in the past if the lane is open. */
  opens_at: Date | null;
}

/** Builds the state of lanes that never close. */
export const alwaysOpen = (capacity: number) => (): RawBuilder<LaneState> =>
  sql`select ${capacity}::int as capacity, null::timestamptz as opens_at`;

/** The name of the lane in a queue with only one lane. */
export const onlyLane = "";

/** A process's lease on a row that it attempts. */
export interface Lease {
  /** The fencing token. It is deleted when the lease ends. A result is stored only while the token exists. */
  token: number;
  rowId: number;
  lane: string;
}

/**
 * Inserts wake-ups, so that a process polls these lanes. Call it in the transaction that makes their rows due. The insert never waits
 * for another transaction, because wake-ups have no unique key.
 *
 * @param at when to poll. @default now
 */
export async function wakeLanes(
  trx: Trx,
  queue: QueueName,
  lanes: Iterable<string>,
  at: RawBuilder<Date> = sql`now()`,
): Promise<void> {
  const distinctLanes = [...new Set(lanes)];
  if (distinctLanes.length === 0) return;
  await insertWakeups(sql`
    select ${queue}, lane, ${at}
    from json_array_elements_text(${JSON.stringify(distinctLanes)}::text::json) as lanes (lane)`).execute(trx);
}

/** Builds a statement that inserts wake-ups. @param wakeups a query that selects the columns queue, lane and at */
export const insertWakeups = (wakeups: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`insert into outbox_wakeups (queue, lane, at) ${wakeups}`;

const settlingKey = (queue: QueueName) => sql`hashtext(${`offers-platform settling ${queue}`})`;

/**
 * Acquires the settling lock, which a transaction must hold to settle rows. Transactions can share it, except while one of them holds
 * it exclusively. After that, the transaction waits for a row lock for at most half a second, because all rows of its group wait with it.
 */
export async function lockSettlingShared(trx: Trx, queue: QueueName): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${settlingKey(queue)}), set_config('lock_timeout', '500', true)`.execute(
    trx,
  );
}

/**
 * Acquires the settling lock exclusively. This waits for transactions that are settling rows of the queue, and blocks new ones until
 * this transaction ends.
 */
export async function lockSettlingExclusively(trx: Trx, queue: QueueName): Promise<void> {
  await sql`select pg_advisory_xact_lock(${settlingKey(queue)})`.execute(trx);
}
