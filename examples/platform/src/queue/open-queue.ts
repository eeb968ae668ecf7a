import { sql } from "kysely";
import { PgBoss } from "pg-boss";
import type { Store } from "../store/store.ts";
import { BossQueue } from "./boss-queue.ts";
import type { Queue, QueueName } from "./queue.ts";

const queueNames: readonly QueueName[] = ["deliveries", "notifications"];

export interface QueueOptions {
  /** How long a claim lasts that nobody renews (D-70). @default 4 */
  leaseSeconds?: number;
  /** Told of trouble in the queue's own upkeep; it goes on by itself. @default ignored */
  onError?: (error: unknown) => void;
}

/** Opens the queues over `store`, with pg-boss. On PGlite, jobs that a killed process had claimed are free at once. */
export async function openQueue(store: Store, options: QueueOptions = {}): Promise<Queue> {
  const { leaseSeconds = 4, onError = () => undefined } = options;
  const boss = new PgBoss({
    db: { executeSql: (text, values) => store.execute(text, values) },
    backend: store.name,
    schedule: false,
  });
  boss.on("error", onError);
  const queue = new BossQueue(boss, store);
  try {
    await oneAtATime(store, () => install(boss, store));
    if (store.name === "pglite") await queue.freeAll();
    queue.watchClaims(leaseSeconds * 1_000, onError);
    return queue;
  } catch (error) {
    // Its upkeep would go on over a store that the caller closes.
    await queue.stop();
    throw error;
  }
}

async function install(boss: PgBoss, store: Store): Promise<void> {
  await boss.start();
  for (const name of queueNames) {
    // "exclusive": one live job per key. No retries of its own: a row without a job gets one from the sweep.
    await boss.createQueue(name, { policy: "exclusive" });
    await boss.updateQueue(name, { retryLimit: 0 });
    // The first use of a queue looks it up outside the caller's transaction, which on the single connection of PGlite
    // waits for that very transaction. So use it once here.
    await boss.insert(name, []);
  }
  // What is looked at every second must not be searched for among all that waits.
  await store.execute("create index if not exists job_active on pgboss.job_common (id) where state = 'active'");
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
