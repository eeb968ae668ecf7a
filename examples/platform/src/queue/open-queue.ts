import { type Expression, type SqlBool, sql } from "kysely";
import { fromKysely, type Job, type JobInsert, PgBoss } from "pg-boss";
import type { Store, Trx } from "../store/store.ts";
import type { ClaimedJob, ClaimOptions, JobToEnqueue, Queue, QueueName } from "./queue.ts";

const queueNames: readonly QueueName[] = ["deliveries", "notifications"];

interface JobData {
  key: string;
}

export interface QueueOptions {
  /** Longer than any attempt: a job claimed longer ago belongs to a process that died. @default 30 */
  leaseSeconds?: number;
  /** Told of trouble in pg-boss's own upkeep; it goes on by itself. @default ignored */
  onError?: (error: Error) => void;
}

/** Opens the queues over `store`, with pg-boss. On PGlite, jobs that a killed process had claimed are free at once. */
export async function openQueue(store: Store, options: QueueOptions = {}): Promise<Queue> {
  const { leaseSeconds = 30, onError = () => undefined } = options;
  // How soon an ended lease is noticed.
  const upkeepSeconds = Math.min(5, leaseSeconds);
  const boss = new PgBoss({
    db: { executeSql: (text, values) => store.execute(text, values) },
    backend: store.name,
    schedule: false,
    superviseIntervalSeconds: upkeepSeconds,
    monitorIntervalSeconds: upkeepSeconds,
  });
  boss.on("error", onError);
  const queue = new BossQueue(boss);
  try {
    await oneAtATime(store, () => install(boss, leaseSeconds));
    // One process at a time has the data folder, so whoever claimed these is dead.
    if (store.name === "pglite")
      await store.execute("update pgboss.job set state = 'retry', started_on = null where state = 'active'");
    return queue;
  } catch (error) {
    // Its upkeep would go on over a store that the caller closes.
    await queue.stop();
    throw error;
  }
}

async function install(boss: PgBoss, leaseSeconds: number): Promise<void> {
  await boss.start();
  for (const name of queueNames) {
    // "exclusive": one live job per key. No retries of its own: a row without a job gets one from the sweep.
    await boss.createQueue(name, { policy: "exclusive" });
    await boss.updateQueue(name, { expireInSeconds: leaseSeconds, retryLimit: 0 });
    // The first use of a queue looks it up outside the caller's transaction, which on the single connection of PGlite
    // waits for that very transaction. So use it once here.
    await boss.insert(name, []);
  }
}

/** Keeps processes that start together from creating pg-boss's schema together, which fails in all but one. */
function oneAtATime(store: Store, work: () => Promise<void>): Promise<void> {
  if (store.name === "pglite") return work();
  return store.db.connection().execute(async (connection) => {
    const lock = sql.lit("offers-platform queue");
    await sql`select pg_advisory_lock(hashtext(${lock}))`.execute(connection);
    try {
      await work();
    } finally {
      await sql`select pg_advisory_unlock(hashtext(${lock}))`.execute(connection);
    }
  });
}

class BossQueue implements Queue {
  readonly #boss: PgBoss;

  constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  async enqueue(trx: Trx, queue: QueueName, jobs: readonly JobToEnqueue[]): Promise<void> {
    if (jobs.length > 0) await this.#boss.insert(queue, jobs.map(insertOf), { db: fromKysely(trx) });
  }

  async claim(queue: QueueName, { limit, perGroup }: ClaimOptions): Promise<ClaimedJob[]> {
    const jobs: Job<JobData>[] = await this.#boss.fetch<JobData>(queue, {
      batchSize: limit,
      ...(perGroup !== undefined && { groupConcurrency: perGroup }),
    });
    return jobs.map((job) => ({ id: job.id, key: job.data.key }));
  }

  async settle(trx: Trx, queue: QueueName, jobs: readonly ClaimedJob[]): Promise<void> {
    const ids = jobs.map((job) => job.id);
    if (ids.length > 0) await this.#boss.deleteJob(queue, ids, { db: fromKysely(trx) });
  }

  async defer(trx: Trx, queue: QueueName, jobs: readonly (ClaimedJob & JobToEnqueue)[]): Promise<void> {
    await this.settle(trx, queue, jobs);
    await this.enqueue(trx, queue, jobs);
  }

  withoutJob(queue: QueueName, key: Expression<string>): Expression<SqlBool> {
    // Worded after pg-boss's unique index for this policy, so that it is used.
    return sql<SqlBool>`not exists (select from pgboss.job where name = ${queue}
      and coalesce(singleton_key, '') = ${key} and state <= 'active' and policy = 'exclusive')`;
  }

  async stop(): Promise<void> {
    await this.#boss.stop({ graceful: false, close: false });
  }
}

function insertOf({ key, group, startAfter, priority }: JobToEnqueue): JobInsert<JobData> {
  return {
    data: { key },
    singletonKey: key,
    ...(group !== undefined && { group: { id: group } }),
    ...(startAfter !== undefined && { startAfter }),
    ...(priority !== undefined && { priority }),
  };
}
