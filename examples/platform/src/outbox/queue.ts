import { type RawBuilder, sql } from "kysely";
import type { Topic, Trx } from "../store/store.ts";
import type { QueueName } from "../store/tables.ts";

/** A table used as a work queue: a row is pending while `due_at` is set. */
export interface OutboxQueue {
  name: QueueName;
  /** The topics of signals after which rows may be due. */
  wokenBy: readonly Topic[];
  table: "deliveries" | "notifications" | "mails";
  /** The column with the number by which rows are leased. */
  id: "sequence" | "id";
  /**
   * The column that names a row's lane. Rows of one lane share its capacity, and lanes take turns, so that a slow lane does not
   * block the others (head-of-line blocking). Without this column all rows are in one lane.
   */
  lane?: "organisation_id" | "offer_id";
  /** How many rows of a lane may be attempted at a time, over all processes. */
  capacity: number;
  /** Selects the state of a lane, or no row for a lane that is closed for good. Without it, lanes are always open. */
  laneState?: (lane: RawBuilder<unknown>) => RawBuilder<LaneState>;
  /** A condition on a row with the alias `head`: whether it must wait for another row that is being attempted. */
  isBlocked?: RawBuilder<boolean>;
}

/** The columns of `laneState`. */
export interface LaneState {
  /** How many rows may be attempted at a time; 0 while the lane is closed. */
  capacity: number;
  /** When a temporarily closed lane opens; otherwise null or in the past. */
  opens_at: Date | null;
}

/** The lane of a queue that has only one. */
export const onlyLane = "";

/** A row that this process attempts. */
export interface Lease {
  /** Fencing token. A result is stored only while this token exists: when the lease ends, it is deleted. */
  token: number;
  rowId: number;
  lane: string;
}

/**
 * Enqueues: asks a process to look at these lanes, now or `at` a later time. Called in the transaction that makes their rows due. It
 * only inserts wake-ups, which have no key, so it never waits for another transaction.
 */
export async function wakeLanes(
  trx: Trx,
  queue: QueueName,
  lanes: Iterable<string>,
  at: RawBuilder<Date> = sql`now()`,
): Promise<void> {
  const distinct = [...new Set(lanes)];
  if (distinct.length === 0) return;
  await insertWakeups(sql`
    select ${queue}, lane, ${at}
    from json_array_elements_text(${JSON.stringify(distinct)}::text::json) as given (lane)`).execute(trx);
}

/** @param wakeups a select of the columns queue, lane and at */
export const insertWakeups = (wakeups: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`insert into outbox_wakeups (queue, lane, at) ${wakeups}`;

const settlingKey = (queue: QueueName) => sql`hashtext(${`offers-platform settling ${queue}`})`;

/**
 * The shared lock of a transaction that settles rows. Any number of transactions can hold it at a time, but not while
 * another holds `lockSettling`.
 */
export async function shareSettling(trx: Trx, queue: QueueName): Promise<void> {
  await sql`select pg_advisory_xact_lock_shared(${settlingKey(queue)})`.execute(trx);
}

/**
 * The exclusive lock: no transaction settles rows of the queue until this one ends. Waits for those that do. Since others wait for
 * this one, the server ends it after two seconds without a statement.
 */
export async function lockSettling(trx: Trx, queue: QueueName): Promise<void> {
  await sql`
    select set_config('idle_in_transaction_session_timeout', '2000', true), pg_advisory_xact_lock(${settlingKey(queue)})`.execute(
    trx,
  );
}
