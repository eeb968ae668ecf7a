import { ConfigurationError } from "../errors/errors.ts";
import type { InboxDatabase, Query, Row } from "./inbox-database.ts";

/** @inline */
export type PostgresHandle<Tx> = PgPool<Tx> | Pglite<Tx> | KyselyDatabase<Tx>;

/** @throws {ConfigurationError} `invalid_option` for anything but a pool, a PGlite or a Kysely that is no transaction */
export function openDatabase<Tx>(handle: PostgresHandle<Tx>): InboxDatabase<Tx> {
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
  query(sql: string, values?: unknown[]): Promise<SqlResult | SqlResult[]>;
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

const poolDatabase = <Tx>(pool: PgPool<Tx>): InboxDatabase<Tx> => ({
  query: async (sql, values = []) => (await pool.query(sql, [...values])).rows,
  async transact(first, work) {
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
      const [, { rows }] = (await client.query(`BEGIN;${first}`)) as [SqlResult, SqlResult];
      const query: Query = async (sql, values = []) => ((await client.query(sql, [...values])) as SqlResult).rows;
      const result = await Promise.race([work(tx, rows, query), lost]);
      const { command } = (await client.query("COMMIT")) as SqlResult;
      // PostgreSQL rolls back on COMMIT, without an error, if the caller has caught the error of a failed statement.
      if (command !== "COMMIT")
        throw new Error("A statement of the transaction had failed, so PostgreSQL rolled it back.");
      return result;
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
  query(sql: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

const pgliteDatabase = <Tx>(pglite: Pglite<Tx>): InboxDatabase<Tx> => ({
  query: async (sql, values = []) => (await pglite.query(sql, [...values])).rows as Row[],
  transact: (first, work) =>
    pglite.transaction(async (tx) => {
      const query: Query = async (sql, values = []) =>
        (await (tx as PgliteTransaction).query(sql, [...values])).rows as Row[];
      const result = await work(tx, await query(first), query);
      // Fails after `tx.rollback()` and after a failed statement whose error the caller has caught: nothing would be committed.
      await query("SELECT 1");
      return result;
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

const kyselyDatabase = <Tx>(kysely: KyselyDatabase<Tx>): InboxDatabase<Tx> => ({
  query: (sql, values) => execute(kysely as Executor, sql, values),
  transact: (first, work) =>
    kysely.transaction().execute(async (tx) => {
      const query: Query = (sql, values) => execute(tx as Executor, sql, values);
      const result = await work(tx, await query(first), query);
      // Fails after a failed statement whose error the caller has caught: PostgreSQL would roll back on COMMIT, without an error.
      await query("SELECT 1");
      return result;
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
