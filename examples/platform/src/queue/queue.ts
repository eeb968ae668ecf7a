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
  /** The job's own id. */
  id: string;
  key: string;
  /** Which claim of the job this is: one that lapsed cannot settle the job under the next. */
  claim: number;
}

export interface ClaimOptions {
  limit: number;
  /** At most so many claimed jobs of one group at a time, over all processes. */
  perGroup?: number;
  /** Passed over: groups that the caller knows to be full, so that a long queue of theirs hides nobody else's jobs. */
  exceptGroups?: readonly string[];
}

/** Jobs over the rows of the store. A job is only a wake-up: the row it names is the truth. */
export interface Queue {
  enqueue(trx: Trx, queue: QueueName, jobs: readonly JobToEnqueue[]): Promise<void>;
  /** Takes due jobs for this process, which renews its claims while it works on them: see `holdClaims`. */
  claim(queue: QueueName, options: ClaimOptions): Promise<ClaimedJob[]>;
  /** Says that somebody works on these. A claim that nobody renews lapses, and the job is claimed again (D-70). */
  renew(queue: QueueName, jobs: readonly ClaimedJob[]): Promise<void>;
  /** Removes claimed jobs, in the transaction that says in their rows what came of them. */
  settle(trx: Trx, queue: QueueName, jobs: readonly ClaimedJob[]): Promise<void>;
  /** Settles claimed jobs and enqueues them anew, for later. */
  defer(trx: Trx, queue: QueueName, jobs: readonly (ClaimedJob & Omit<JobToEnqueue, "key">)[]): Promise<void>;
  /** Gives claimed jobs back undone, for anybody to claim at once. */
  release(queue: QueueName, jobs: readonly ClaimedJob[]): Promise<void>;
  /** Removes the waiting jobs of these rows; claimed ones stay. Enqueue before it in a transaction, not after. */
  forget(trx: Trx, queue: QueueName, keys: readonly string[]): Promise<void>;
  /** Makes the waiting jobs of these rows due now. Enqueue before it in a transaction, not after. */
  hasten(trx: Trx, queue: QueueName, keys: readonly string[]): Promise<void>;
  /** For a sweep: true for rows whose `key` has no live job. */
  withoutJob(queue: QueueName, key: Expression<string>): Expression<SqlBool>;
  /** The store stays open. */
  stop(): Promise<void>;
}
