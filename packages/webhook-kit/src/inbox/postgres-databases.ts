import { ConfigurationError } from "../errors/errors.ts";
import { hasMethods, type InboxDatabase, isInboxDatabase, type Query, queryAll, type Row } from "./inbox-database.ts";

/** @inline */
export type PostgresHandle<Tx> =
  | PgPool<Tx>
  | Pglite<Tx>
  | KyselyDatabase<Tx>
  | DrizzleDatabase<Tx>
  | PrismaDatabase<Tx>
  | InboxDatabase<Tx>;

/** Adapts a handle from any supported library. @throws {ConfigurationError} `invalid_option` for anything else, and for a transaction */
export function openDatabase<Tx>(handle: PostgresHandle<Tx>): InboxDatabase<Tx> {
  if (isInboxDatabase(handle)) return handle as InboxDatabase<Tx>;
  if (hasMethods(handle, ["executeQuery", "transaction"]) && !(handle as KyselyDatabase<Tx>).isTransaction)
    return kyselyDatabase(handle as KyselyDatabase<Tx>);
  if (hasMethods(handle, ["query", "exec", "transaction"])) return pgliteDatabase(handle as Pglite<Tx>);
  if (hasMethods(handle, ["execute", "transaction", "select"]) && !hasMethods(handle, ["rollback"])) {
    requireTransactions(handle);
    return drizzleDatabase(handle as DrizzleDatabase<Tx>);
  }
  if (hasMethods(handle, ["$transaction", "$queryRawUnsafe", "$connect"]))
    return prismaDatabase(handle as PrismaDatabase<Tx>);
  // Only a Pool has `totalCount`. On a Client's single connection, the transactions of concurrent events would mix.
  if (hasMethods(handle, ["query", "connect"]) && "totalCount" in handle) return poolDatabase(handle as PgPool<Tx>);
  throw new ConfigurationError(
    "invalid_option",
    "postgresInbox takes a pg Pool, a PGlite, Kysely, Drizzle or Prisma instance, or an InboxDatabase, but not a Client or a transaction.",
  );
}

/** Drizzle drivers that send each statement separately. Their `transaction` exists but always throws. */
const driversWithoutTransactions = new Set<unknown>(["NeonHttpDatabase", "PgRemoteDatabase", "XataHttpDatabase"]);

/** @throws {ConfigurationError} `invalid_option` */
function requireTransactions(handle: unknown): void {
  const entityKind = Reflect.get(Object(handle).constructor, Symbol.for("drizzle:entityKind"));
  if (driversWithoutTransactions.has(entityKind))
    throw new ConfigurationError(
      "invalid_option",
      `postgresInbox needs transactions, which this Drizzle driver (${entityKind}) does not support. On Neon use drizzle-orm/neon-serverless with a Pool, elsewhere drizzle-orm/node-postgres.`,
    );
}

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
 * The methods of a `pg` `Pool`. Declares both overloads of `connect`, because TypeScript infers types from the last overload.
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
  async transact(firstStatements, work) {
    let onConnectionError: (error: Error) => void = () => undefined;
    // A checked-out client emits `error` when its connection ends between two queries. Without a listener, the process would exit. Without
    // the race below, `work` could wait forever for another connection from the pool.
    const connectionLost = new Promise<never>((_, reject) => {
      onConnectionError = reject;
    });
    // A connection may also be lost after the race has ended, and the rejection must not go unhandled.
    connectionLost.catch(() => undefined);
    const tx = await checkOut(pool, onConnectionError);
    const client = tx as PoolClient;
    let isBroken = false;
    try {
      const rows = ((await client.query(["BEGIN", ...firstStatements].join(";"))) as SqlResult[]).at(-1)?.rows ?? [];
      const query: Query = async (sql, values = []) => ((await client.query(sql, [...values])) as SqlResult).rows;
      const result = await Promise.race([work(tx, rows, query), connectionLost]);
      const { command } = (await client.query("COMMIT")) as SqlResult;
      // If `work` caught the error of a failed statement, PostgreSQL rolls back on COMMIT without an error.
      if (command !== "COMMIT") throw new Error("A statement in the transaction failed, so PostgreSQL rolled it back.");
      return result;
    } catch (error) {
      await client.query("ROLLBACK").catch(() => {
        isBroken = true;
      });
      throw error;
    } finally {
      client.off("error", onConnectionError);
      client.release(isBroken);
    }
  },
});

/** Checks out a connection, and adds the error listener before pg can read another message from the server. */
const checkOut = <Tx>(pool: PgPool<Tx>, onConnectionError: (error: Error) => void): Promise<Tx> =>
  new Promise((resolve, reject) => {
    const useConnection = (connected: Tx): void => {
      (connected as PoolClient).on("error", onConnectionError);
      resolve(connected);
    };
    // Pass a callback, because pg may read the server's last message before a promise resolves. A wrapped pool may support only promises,
    // so use the returned promise too.
    const connecting: unknown = pool.connect((error, connected) =>
      connected === undefined ? reject(error) : useConnection(connected),
    );
    Promise.resolve(connecting as Tx | undefined).then(
      (connected) => connected !== undefined && useConnection(connected),
      reject,
    );
  });

/** Runs `work` in the transaction of a library that commits when its callback resolves. */
async function workWithin<Tx, T>(
  tx: Tx,
  query: Query,
  firstStatements: readonly string[],
  work: (tx: Tx, rows: readonly Row[], query: Query) => Promise<T>,
): Promise<T> {
  const result = await work(tx, await queryAll(query, firstStatements), query);
  // Fails if `work` caught the error of a failed statement, because PostgreSQL would then roll back on COMMIT without an error. Also fails
  // after PGlite's `tx.rollback()`, after which nothing would be committed either.
  await query("SELECT 1");
  return result;
}

/**
 * The methods of PGlite.
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
  transact: (firstStatements, work) =>
    pglite.transaction((tx) => {
      const query: Query = async (sql, values = []) =>
        (await (tx as PgliteTransaction).query(sql, [...values])).rows as Row[];
      return workWithin(tx, query, firstStatements, work);
    }),
});

/** A Kysely `CompiledQuery`, declared without importing Kysely. */
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
 * The methods of a `Kysely` instance.
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
  transact: (firstStatements, work) =>
    kysely
      .transaction()
      .execute((tx) => workWithin(tx, (sql, values) => execute(tx as Executor, sql, values), firstStatements, work)),
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

/** A Drizzle `SQLWrapper`, declared without importing Drizzle. */
interface DrizzleQuery {
  getSQL(): { toQuery(): { readonly sql: string; readonly params: unknown[] } };
}

interface DrizzleExecutor {
  execute(query: DrizzleQuery): PromiseLike<Row[] | { readonly rows: Row[] }>;
}

/**
 * The methods of a Drizzle database on PostgreSQL.
 *
 * @inline
 */
interface DrizzleDatabase<Tx> {
  execute(query: never): PromiseLike<unknown>;
  transaction<T>(callback: (tx: Tx) => Promise<T>): Promise<T>;
}

const drizzleDatabase = <Tx>(drizzle: DrizzleDatabase<Tx>): InboxDatabase<Tx> => ({
  query: drizzleQuery(drizzle as DrizzleExecutor),
  transact: (firstStatements, work) =>
    drizzle.transaction((tx) => workWithin(tx, drizzleQuery(tx as DrizzleExecutor), firstStatements, work)),
});

const drizzleQuery =
  (executor: DrizzleExecutor): Query =>
  async (sql, params = []) => {
    const result = await executor.execute({ getSQL: () => ({ toQuery: () => ({ sql, params: [...params] }) }) });
    // With postgres-js, the result itself is the array of rows.
    return Array.isArray(result) ? result : result.rows;
  };

interface PrismaExecutor {
  $queryRawUnsafe(sql: string, ...values: unknown[]): PromiseLike<unknown>;
}

/**
 * The methods of a `PrismaClient`. Declares both overloads of `$transaction`, because TypeScript infers types from the last overload.
 *
 * @inline
 */
interface PrismaDatabase<Tx> {
  $queryRawUnsafe(sql: string, ...values: never[]): PromiseLike<unknown>;
  $connect(): Promise<void>;
  $transaction(queries: never[]): Promise<unknown>;
  $transaction<T>(callback: (tx: Tx) => Promise<T>): Promise<T>;
}

const prismaDatabase = <Tx>(prisma: PrismaDatabase<Tx>): InboxDatabase<Tx> => ({
  query: prismaQuery(prisma as PrismaExecutor),
  transact: (firstStatements, work) =>
    prisma.$transaction((tx) => workWithin(tx, prismaQuery(tx as PrismaExecutor), firstStatements, work)),
});

const prismaQuery =
  (executor: PrismaExecutor): Query =>
  async (sql, values = []) =>
    (await executor.$queryRawUnsafe(sql, ...values)) as Row[];
