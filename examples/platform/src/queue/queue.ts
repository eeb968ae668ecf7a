import type { Expression, SqlBool } from "kysely";
import type { Trx } from "../store/store.ts";

export type QueueName = "deliveries" | "notifications";

/** A wake-up for one row. There is at most one live job per queue and key, so enqueueing again changes nothing. */
export interface JobToEnqueue {
  /** The id of the row it is about. */
  key: string;
  /** Jobs of one group share a cap at `claim`. */
  group?: string;
  /** Not claimed before. @default now */
  startAfter?: Date;
  /** The higher, the earlier. @default 0 */
  priority?: number;
}

export interface ClaimedJob {
  /** The job's own id; `settle` takes it. */
  id: string;
  key: string;
}

export interface ClaimOptions {
  limit: number;
  /** At most so many claimed jobs of one group at a time, over all processes. */
  perGroup?: number;
}

/** Jobs over the rows of the store. A job is only a wake-up: the row it names is the truth. */
export interface Queue {
  enqueue(trx: Trx, queue: QueueName, jobs: readonly JobToEnqueue[]): Promise<void>;
  /** Takes due jobs for this process. They come back when it dies: at its next start (PGlite), after 30 s (PostgreSQL). */
  claim(queue: QueueName, options: ClaimOptions): Promise<ClaimedJob[]>;
  /** Removes claimed jobs, in the transaction that says in their rows what came of them. */
  settle(trx: Trx, queue: QueueName, jobs: readonly ClaimedJob[]): Promise<void>;
  /** Settles claimed jobs and enqueues them anew, for later. */
  defer(trx: Trx, queue: QueueName, jobs: readonly (ClaimedJob & Omit<JobToEnqueue, "key">)[]): Promise<void>;
  /** For a sweep: true for rows whose `key` has no live job. */
  withoutJob(queue: QueueName, key: Expression<string>): Expression<SqlBool>;
  /** The store stays open. */
  stop(): Promise<void>;
}
