/** A row of a result, by column. @inline */
export type Row = Readonly<Record<string, unknown>>;

/** Sends one statement, whose parameters are `$1`, `$2` and so on, and resolves with the rows of its result. @inline */
export type Query = (sql: string, values?: readonly (string | number | null)[]) => Promise<readonly Row[]>;

/**
 * Your own database handle, reduced to what an inbox needs. Write one for a library that no inbox takes, and pass it to
 * `postgresInbox`, `sqliteInbox` or `mysqlInbox`, whose dialect its database must speak (D-137). `Tx` is what your code gets within a
 * transaction.
 *
 * Parameters are texts, numbers and null; a library with other placeholders than `$1` replaces them. `deduplicationConformance` of
 * `/testing` tests the inbox that results.
 *
 * @example
 * ```ts
 * import { type InboxDatabase, postgresInbox } from "@offers/webhook-kit/postgres";
 *
 * declare const library: {
 *   run(sql: string, values: unknown[]): Promise<Record<string, unknown>[]>;
 *   begin<T>(work: (tx: { run: typeof library.run }) => Promise<T>): Promise<T>;
 * };
 *
 * const database: InboxDatabase<{ run: typeof library.run }> = {
 *   query: (sql, values = []) => library.run(sql, [...values]),
 *   transact: (first, work) =>
 *     library.begin(async (tx) => {
 *       let rows: Record<string, unknown>[] = [];
 *       for (const sql of first) rows = await tx.run(sql, []);
 *       const result = await work(tx, rows, (sql, values = []) => tx.run(sql, [...values]));
 *       await tx.run("SELECT 1", []); // fails if a statement of `work` had failed: PostgreSQL would commit nothing
 *       return result;
 *     }),
 * };
 *
 * export const inbox = postgresInbox(database);
 * ```
 */
export interface InboxDatabase<Tx> {
  /** Outside of a transaction. In MySQL, a statement without a result resolves with as many empty rows as it has changed. */
  readonly query: Query;
  /**
   * One transaction: sends the statements of `first`, then calls `work` with the rows of the last. Commits when `work` resolves and
   * rolls back when it rejects, with its error. Rejects when nothing was committed, also if `work` caught the error that rolled
   * the transaction back.
   *
   * @param first have no parameters, so that they can be sent together with BEGIN
   * @param work `query` sends a statement within the transaction
   */
  transact<T>(first: readonly string[], work: (tx: Tx, rows: readonly Row[], query: Query) => Promise<T>): Promise<T>;
}

/** True for an object of the user's own that has the two functions of `InboxDatabase`; no library's handle has `transact`. */
export const isInboxDatabase = (handle: unknown): boolean => hasMethods(handle, ["query", "transact"]);

export const hasMethods = (handle: unknown, methods: readonly string[]): boolean =>
  typeof handle === "object" &&
  handle !== null &&
  methods.every((name) => typeof Reflect.get(handle, name) === "function");

/** Sends the statements one after the other. @returns the rows of the last */
export async function queryAll(
  query: Query,
  statements: readonly string[],
  values?: Parameters<Query>[1],
): Promise<readonly Row[]> {
  let rows: readonly Row[] = [];
  for (const sql of statements) rows = await query(sql, values);
  return rows;
}
