import { ConfigurationError } from "../errors/errors.ts";

type Row = Readonly<Record<string, unknown>>;

/** The user's own database handle, reduced to what an inbox needs. `Tx` is what the user's code gets within a transaction. */
export interface Database<Tx> {
  query(sql: string, values: readonly unknown[]): Promise<readonly Row[]>;
  /**
   * In one transaction: runs `record` and, if that returned a row, `work`.
   *
   * @returns whether `work` ran and was committed
   */
  recordAndWork(record: string, work: (tx: Tx) => Promise<unknown>): Promise<boolean>;
}

/** @inline */
export type PostgresHandle<Tx> = PgPool<Tx> | Pglite<Tx> | KyselyDatabase<Tx>;

/** @throws {ConfigurationError} `invalid_option` for anything but a pool, a PGlite or a Kysely that is no transaction */
export function openDatabase<Tx>(handle: PostgresHandle<Tx>): Database<Tx> {
  if (has(handle, ["executeQuery", "transaction"]) && !(handle as KyselyDatabase<Tx>).isTransaction)
    return kyselyDatabase(handle as KyselyDatabase<Tx>);
  if (has(handle, ["query", "exec", "transaction"])) return pgliteDatabase(handle as Pglite<Tx>);
  // A single Client has no `totalCount`: the transactions of concurrent events would mix on its one connection.
  if (has(handle, ["query", "connect"]) && "totalCount" in handle) return poolDatabase(handle as PgPool<Tx>);
  throw new ConfigurationError(
    "invalid_option",
    "postgresInbox takes a Pool of npm pg, a PGlite, or a Kysely outside of a transaction; not a Client, nor a transaction.",
  );
}

const has = (handle: unknown, methods: readonly string[]): boolean =>
  typeof handle === "object" &&
  handle !== null &&
  methods.every((name) => typeof Reflect.get(handle, name) === "function");

interface SqlResult {
  readonly command: string;
  readonly rows: Row[];
}

interface PoolClient {
  query(sql: string): Promise<SqlResult | SqlResult[]>;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
  release(destroy?: boolean): void;
}

/**
 * What a `Pool` of npm `pg` has. Both overloads of `connect`, because TypeScript infers from the last.
 *
 * @inline
 */
interface PgPool<Tx> {
  connect(): Promise<Tx>;
  connect(
    callback: (error: Error | undefined, client: Tx | undefined, done: (release?: unknown) => void) => void,
  ): void;
  query(sql: string, values: unknown[]): Promise<{ rows: Row[] }>;
  readonly totalCount: number;
}

const poolDatabase = <Tx>(pool: PgPool<Tx>): Database<Tx> => ({
  query: async (sql, values) => (await pool.query(sql, [...values])).rows,
  async recordAndWork(record, work) {
    const tx = await pool.connect();
    const client = tx as PoolClient;
    let lose: (error: Error) => void = () => undefined;
    // A client outside its pool's care emits `error` when its connection ends between two queries. Without a listener the process
    // would exit, and without the race work that waits for this very pool would wait forever.
    const lost = new Promise<never>((_, reject) => {
      lose = reject;
    });
    lost.catch(() => undefined);
    client.on("error", lose);
    let isBroken = false;
    try {
      const [, recorded] = (await client.query(`BEGIN;${record}`)) as [SqlResult, SqlResult];
      const isNew = recorded.rows.length > 0;
      if (isNew) await Promise.race([work(tx), lost]);
      const { command } = (await client.query("COMMIT")) as SqlResult;
      // PostgreSQL rolls back on COMMIT, without an error, if the caller has caught the error of a failed statement.
      if (command !== "COMMIT")
        throw new Error("A statement of the transaction had failed, so PostgreSQL rolled it back.");
      return isNew;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {
        isBroken = true;
      });
      throw error;
    } finally {
      client.off("error", lose);
      client.release(isBroken);
    }
  },
});

/**
 * What PGlite has.
 *
 * @inline
 */
interface Pglite<Tx> {
  query(sql: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  exec(sql: string): Promise<unknown>;
  transaction<T>(callback: (tx: Tx) => Promise<T>): Promise<T>;
}

interface PgliteTransaction {
  query(sql: string): Promise<{ rows: unknown[] }>;
}

const pgliteDatabase = <Tx>(pglite: Pglite<Tx>): Database<Tx> => ({
  query: async (sql, values) => (await pglite.query(sql, [...values])).rows as Row[],
  recordAndWork: (record, work) =>
    pglite.transaction(async (tx) => {
      const transaction = tx as PgliteTransaction;
      if ((await transaction.query(record)).rows.length === 0) return false;
      await work(tx);
      // Fails after `tx.rollback()` and after a failed statement whose error the caller has caught: nothing would be committed.
      await transaction.query("SELECT 1");
      return true;
    }),
});

/** A `CompiledQuery` of Kysely, made without importing Kysely. */
interface CompiledQuery {
  readonly sql: string;
  readonly parameters: readonly unknown[];
  readonly query: { readonly kind: "RawNode"; readonly sqlFragments: readonly string[]; readonly parameters: [] };
  readonly queryId: { readonly queryId: string };
}

interface Executor {
  executeQuery(query: CompiledQuery): Promise<{ rows: unknown[] }>;
}

/**
 * What a `Kysely` instance has.
 *
 * @inline
 */
interface KyselyDatabase<Tx> {
  readonly isTransaction: boolean;
  transaction(): { execute<T>(callback: (tx: Tx) => Promise<T>): Promise<T> };
  executeQuery(query: never): Promise<{ rows: unknown[] }>;
}

const kyselyDatabase = <Tx>(kysely: KyselyDatabase<Tx>): Database<Tx> => ({
  query: (sql, values) => execute(kysely as Executor, sql, values),
  recordAndWork: (record, work) =>
    kysely.transaction().execute(async (tx) => {
      const executor = tx as Executor;
      if ((await execute(executor, record)).length === 0) return false;
      await work(tx);
      // Fails after a failed statement whose error the caller has caught: PostgreSQL would roll back on COMMIT, without an error.
      await execute(executor, "SELECT 1");
      return true;
    }),
});

async function execute(executor: Executor, sql: string, parameters: readonly unknown[] = []): Promise<readonly Row[]> {
  const { rows } = await executor.executeQuery({
    sql,
    parameters,
    query: { kind: "RawNode", sqlFragments: [sql], parameters: [] },
    queryId: { queryId: "offers-inbox" },
  });
  return rows as Row[];
}
