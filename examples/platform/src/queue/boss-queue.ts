import { type Expression, type SqlBool, sql } from "kysely";
import { fromKysely, type Job, type JobInsert, type PgBoss } from "pg-boss";
import type { Store, Trx } from "../store/store.ts";
import { type ActiveClaim, LapseWatch } from "./lapse-watch.ts";
import type { ClaimedJob, ClaimOptions, JobToEnqueue, Queue, QueueName } from "./queue.ts";
import { type Loop, runLoop } from "./run-loop.ts";

interface JobData {
  key: string;
}

/** The jobs of pg-boss, whose tables lie in the store. */
export class BossQueue implements Queue {
  readonly #boss: PgBoss;
  readonly #store: Store;
  #watching: Loop | undefined;

  constructor(boss: PgBoss, store: Store) {
    this.#boss = boss;
    this.#store = store;
  }

  async enqueue(trx: Trx, queue: QueueName, jobs: readonly JobToEnqueue[]): Promise<void> {
    if (jobs.length > 0) await this.#boss.insert(queue, jobs.map(insertOf), { db: fromKysely(trx) });
  }

  async claim(queue: QueueName, options: ClaimOptions): Promise<ClaimedJob[]> {
    if (options.perGroup === undefined || this.#store.name === "pglite") return this.#fetch(queue, options);
    // Two processes that count a group at the same time would each fill it.
    return this.#store.transaction(async (trx) => {
      // One that stands still meanwhile loses its connection, and with it the lock, to the server.
      await sql`select set_config('idle_in_transaction_session_timeout', '2000', true),
        pg_advisory_xact_lock(hashtext(${sql.lit(`offers-platform ${queue}`)}))`.execute(trx);
      return this.#fetch(queue, options, trx);
    });
  }

  async renew(queue: QueueName, jobs: readonly ClaimedJob[]): Promise<void> {
    if (jobs.length > 0) await this.#boss.touch(queue, jobs.map(attemptOf));
  }

  async settle(trx: Trx, queue: QueueName, jobs: readonly ClaimedJob[]): Promise<void> {
    if (jobs.length > 0) await this.#boss.deleteJob(queue, jobs.map(attemptOf), { db: fromKysely(trx) });
  }

  async defer(trx: Trx, queue: QueueName, jobs: readonly (ClaimedJob & JobToEnqueue)[]): Promise<void> {
    await this.settle(trx, queue, jobs);
    await this.enqueue(trx, queue, jobs);
  }

  async release(queue: QueueName, jobs: readonly ClaimedJob[]): Promise<void> {
    if (jobs.length === 0) return;
    const claims = jobs.map(({ id, claim }) => ({ id, claim }));
    await this.#store.execute(
      `update pgboss.job set state = 'retry'
      from json_to_recordset($2::text::json) as released (id uuid, claim integer)
      where name = $1 and job.id = released.id and state = 'active' and retry_count = claim`,
      [queue, JSON.stringify(claims)],
    );
  }

  async forget(trx: Trx, queue: QueueName, keys: readonly string[]): Promise<void> {
    if (keys.length > 0) await sql`delete from pgboss.job where ${isWaiting(queue, keys)}`.execute(trx);
  }

  async hasten(trx: Trx, queue: QueueName, keys: readonly string[]): Promise<void> {
    if (keys.length > 0)
      await sql`update pgboss.job set start_after = now() where ${isWaiting(queue, keys)}`.execute(trx);
  }

  withoutJob(queue: QueueName, key: Expression<string>): Expression<SqlBool> {
    // Worded after pg-boss's unique index for this policy, so that it is used.
    return sql<SqlBool>`not exists (select from pgboss.job where name = ${queue}
      and coalesce(singleton_key, '') = ${key} and state <= 'active' and policy = 'exclusive')`;
  }

  /** Frees the jobs of processes that died, until the queue is stopped (D-70). */
  watchClaims(leaseMs: number, onError: (error: unknown) => void): void {
    const lookMs = leaseMs / 4;
    const watch = new LapseWatch(leaseMs, 2 * lookMs);
    const look = async (): Promise<boolean> => {
      const active = await this.#active();
      await this.#free(watch.look(active, performance.now()));
      return false;
    };
    this.#watching = runLoop(look, { idleMs: lookMs, onError });
  }

  /** For a process that has the store for itself: whoever made these claims is dead. */
  async freeAll(): Promise<void> {
    await this.#free(await this.#active());
  }

  async stop(): Promise<void> {
    await this.#watching?.stop();
    await this.#boss.stop({ graceful: false, close: false });
  }

  async #active(): Promise<ActiveClaim[]> {
    const { rows } = await this.#store.execute(
      "select id::text, heartbeat_on::text as renewed from pgboss.job where state = 'active'",
    );
    return rows as unknown as ActiveClaim[];
  }

  /** Those that have not been renewed meanwhile. The next claim of each has another number. */
  async #free(claims: readonly ActiveClaim[]): Promise<void> {
    if (claims.length === 0) return;
    await this.#store.execute(
      `update pgboss.job set state = 'retry'
      from json_to_recordset($1::text::json) as lapsed (id uuid, renewed timestamptz)
      where job.id = lapsed.id and state = 'active' and heartbeat_on = renewed`,
      [JSON.stringify(claims)],
    );
  }

  async #fetch(queue: QueueName, { limit, perGroup, exceptGroups }: ClaimOptions, trx?: Trx): Promise<ClaimedJob[]> {
    const jobs: Job<JobData>[] = await this.#boss.fetch<JobData>(queue, {
      batchSize: limit,
      ...(perGroup !== undefined && { groupConcurrency: perGroup }),
      ...(exceptGroups !== undefined && { ignoreGroups: [...exceptGroups] }),
      ...(trx !== undefined && { db: fromKysely(trx) }),
    });
    return jobs.map(({ id, data, retryCount }) => ({ id, key: data.key, claim: retryCount }));
  }
}

/** Passes over what somebody claims or settles at this moment: waiting for them could be mutual. */
const isWaiting = (queue: QueueName, keys: readonly string[]): Expression<SqlBool> =>
  sql<SqlBool>`id = any (array(
    select id from pgboss.job where name = ${queue} and state < 'active' and policy = 'exclusive'
      and coalesce(singleton_key, '') = any (array(select json_array_elements_text(${JSON.stringify(keys)}::text::json)))
    for update skip locked))`;

const attemptOf = ({ id, claim }: ClaimedJob) => ({ id, retryCount: claim });

function insertOf({ key, group, startAfter, priority }: JobToEnqueue): JobInsert<JobData> {
  return {
    data: { key },
    singletonKey: key,
    ...(group !== undefined && { group: { id: group } }),
    ...(startAfter !== undefined && { startAfter }),
    ...(priority !== undefined && { priority }),
  };
}
