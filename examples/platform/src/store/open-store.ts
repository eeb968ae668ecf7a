import { mkdir } from "node:fs/promises";
import { type Dialect, Kysely, type KyselyPlugin, PGliteDialect, PostgresDialect } from "kysely";
import { lockFolder } from "./folder-lock.ts";
import { migrate } from "./migrate.ts";
import { prepareClusterFiles } from "./pglite/cluster-files.ts";
import { PgliteConnection } from "./pglite/pglite-connection.ts";
import { PgliteThread } from "./pglite/pglite-thread.ts";
import { type Lane, PriorityMutex } from "./pglite/priority-mutex.ts";
import {
  createSeparateClient,
  openPool,
  withClients,
  withPreparedStatements,
  withTransactionSettings,
} from "./postgres-pool.ts";
import { planSettings } from "./query-plans.ts";
import { getAnnouncedSignals, type Signal, type Store, StoreError, type Trx } from "./store.ts";
import type { Tables } from "./tables.ts";

export interface StoreOptions {
  /** The URL of a PostgreSQL database. @default PGlite in the data folder */
  databaseUrl?: string | undefined;
  /** The direct URL of PostgreSQL. Required if `databaseUrl` points to a pooler in transaction mode, which does not support `LISTEN`. */
  listenUrl?: string | undefined;
  /** The folder for PGlite's files. Only one process at a time may use it. Created if it is missing. */
  dataFolder: string;
  /** Called with the error if a connection is lost in the background. @default ignores it, because the next query reports it */
  onError?: (error: Error) => void;
  /** How long a transaction may go without a statement starting or returning, in milliseconds. @default 5_000 */
  transactionLimitMs?: number;
}

const vacuumIntervalMs = 10 * 60_000;

/**
 * Opens the store and migrates its schema.
 *
 * @throws {StoreError} `data_folder_in_use` if another process is using the data folder; `data_folder_incompatible`, `newer_tables`
 *   or `unreleased_tables` if it was written by another version of the platform
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  const store = options.databaseUrl ? await openPostgres(options, options.databaseUrl) : await openPglite(options);
  try {
    await migrate(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function openPglite(options: StoreOptions): Promise<Store> {
  const { dataFolder, onError = () => undefined, transactionLimitMs = 5_000 } = options;
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const lock = lockFolder(dataFolder);
  const thread = await startPgliteThread(dataFolder, onError).catch((error: unknown) => {
    lock.release();
    throw error;
  });
  const mutex = new PriorityMutex();
  const commits = new CommitPublisher();
  const createLaneQueries = (name: Lane) => {
    const pglite = new PgliteConnection(thread, mutex, name);
    return {
      ...createQueries(new PGliteDialect({ pglite }), transactionLimitMs, commits),
      execute: (text: string, values?: unknown[]) => pglite.query<Record<string, unknown>>(text, values),
    };
  };
  const background: Store = {
    name: "pglite",
    label: `PGlite in ${dataFolder}`,
    ...createLaneQueries("background"),
    onCommit: (publish) => commits.subscribe(publish),
    get background() {
      return background;
    },
    async close() {
      clearInterval(vacuum);
      await background.db.destroy();
      await foreground.db.destroy();
      await thread.close();
      lock.release();
    },
  };
  const foreground = { ...background, ...createLaneQueries("foreground") };
  // PGlite has no autovacuum, so old row versions would accumulate.
  const vacuum = setInterval(() => void background.execute("vacuum analyze").catch(onError), vacuumIntervalMs).unref();
  return foreground;
}

/** Starts PGlite on the files in a locked data folder. */
async function startPgliteThread(dataFolder: string, onError: (error: Error) => void): Promise<PgliteThread> {
  const files = await prepareClusterFiles(dataFolder);
  const thread = new PgliteThread(files.folder, onError);
  await thread.waitReady;
  await files.markOpened();
  for (const setting of planSettings) await thread.send(`set ${setting}`, [], true);
  return thread;
}

async function openPostgres(options: StoreOptions, databaseUrl: string): Promise<Store> {
  const { listenUrl, onError = () => undefined, transactionLimitMs = 5_000 } = options;
  const isTransactionPooler = listenUrl !== undefined;
  const pool = openPool(databaseUrl, onError, { isTransactionPooler });
  // PgBouncer supports prepared statements in transaction mode only since 1.21.
  const foregroundPool = isTransactionPooler ? withTransactionSettings(pool) : withClients(pool);
  const backgroundPool = isTransactionPooler ? foregroundPool : withPreparedStatements(pool);
  const { rows } = await pool.query<{ version: string }>("select current_setting('server_version') as version");
  const commits = new CommitPublisher();
  const version = rows[0]?.version.split(" ")[0] ?? "(unknown version)";
  const background: Store = {
    name: "postgres",
    label: `PostgreSQL ${version}`,
    ...createQueries(new PostgresDialect({ pool: backgroundPool }), transactionLimitMs, commits),
    onCommit: (publish) => commits.subscribe(publish),
    execute: (text, values) => pool.query(text, values),
    newClient: () => createSeparateClient(listenUrl ?? databaseUrl),
    get background() {
      return background;
    },
    close: () => pool.end(),
  };
  return {
    ...background,
    ...createQueries(new PostgresDialect({ pool: foregroundPool }), transactionLimitMs, commits),
  };
}

/** Publishes the signals of committed transactions to subscribers. */
class CommitPublisher {
  readonly #subscribers = new Set<(signals: readonly Signal[]) => void>();

  subscribe(publish: (signals: readonly Signal[]) => void): () => void {
    this.#subscribers.add(publish);
    return () => void this.#subscribers.delete(publish);
  }

  publish(signals: readonly Signal[]): void {
    if (signals.length > 0) for (const publish of this.#subscribers) publish(signals);
  }
}

function createQueries(
  dialect: Dialect,
  transactionLimitMs: number,
  commits: CommitPublisher,
): Pick<Store, "db" | "transaction"> {
  const db = new Kysely<Tables>({ dialect });
  // On PGlite, each kysely instance runs one request at a time. Use a separate instance for transactions, so that queries do not wait
  // for commits.
  const transactions = new Kysely<Tables>({ dialect });
  return {
    db,
    async transaction(work) {
      let announcedSignals: readonly Signal[] = [];
      const result = await runTransaction(transactions, transactionLimitMs, async (trx) => {
        const value = await work(trx);
        announcedSignals = getAnnouncedSignals(trx);
        return value;
      });
      commits.publish(announcedSignals);
      return result;
    },
  };
}

/**
 * Runs `work` in a transaction, and rolls it back if no statement starts or returns for `limitMs`. A large transaction may take
 * longer in total, but must not wait for anything other than the database.
 */
function runTransaction<T>(db: Kysely<Tables>, limitMs: number, work: (trx: Trx) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    let timer: NodeJS.Timeout | undefined;
    let onReturned = (): void => undefined;
    let failure: StoreError | undefined;
    let runningStatements = 0;
    // Reject statements that `work` sends after the rollback, because they would run outside the transaction and be committed.
    const onQuery = (): void => {
      if (failure !== undefined) throw failure;
      runningStatements += 1;
    };
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        failure = timeoutError(limitMs, runningStatements > 0);
        reject(failure);
      }, limitMs);
      onReturned = () => {
        runningStatements -= 1;
        timer?.refresh();
      };
    });
    try {
      return await Promise.race([work(trx.withPlugin(createQueryObserver(onQuery, () => onReturned()))), timeout]);
    } finally {
      // A statement that returns later must not start the timer again.
      onReturned = () => undefined;
      clearTimeout(timer);
    }
  });
}

function timeoutError(limitMs: number, isStatementRunning: boolean): StoreError {
  if (isStatementRunning) return new StoreError("database_lost", `a statement did not return for ${limitMs} ms`);
  return new StoreError(
    "transaction_overdue",
    `no statement started in a transaction for ${limitMs} ms, so it was rolled back; inside a transaction, use only ` +
      "trx: on PGlite, store.db waits for the same connection, and I/O blocks all other statements",
  );
}

const createQueryObserver = (onQuery: () => void, onReturn: () => void): KyselyPlugin => ({
  transformQuery({ node }) {
    onQuery();
    return node;
  },
  async transformResult({ result }) {
    onReturn();
    return result;
  },
});
