/** A result row, by column. @inline */
export type Row = Readonly<Record<string, unknown>>;

/** Sends one statement, whose parameters are `$1`, `$2` and so on, and resolves with the result's rows. @inline */
export type Query = (sql: string, values?: readonly (string | number | null)[]) => Promise<readonly Row[]>;

/**
 * Your own database handle, reduced to the functions that an inbox needs. Implement it for a library that no inbox supports, and pass it to
 * `postgresInbox`, `sqliteInbox` or `mysqlInbox`, depending on the database's SQL dialect. `Tx` is what your code receives within a
 * transaction.
 *
 * Parameters are strings, numbers and null. If your library uses placeholders other than `$1`, replace them. Test the resulting inbox with
 * `deduplicationConformance` from `/testing`.
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
 *   transact: (firstStatements, work) =>
 *     library.begin(async (tx) => {
 *       let rows: Record<string, unknown>[] = [];
 *       for (const sql of firstStatements) rows = await tx.run(sql, []);
 *       const result = await work(tx, rows, (sql, values = []) => tx.run(sql, [...values]));
 *       await tx.run("SELECT 1", []); // fails if a statement in `work` failed, because PostgreSQL would commit nothing
 *       return result;
 *     }),
 * };
 *
 * export const inbox = postgresInbox(database);
 * ```
 */
export interface InboxDatabase<Tx> {
  /**
   * Sends a statement outside a transaction. In MySQL, a statement without a result resolves with one empty row for each row that it
   * changed.
   */
  readonly query: Query;
  /**
   * Runs one transaction: sends `firstStatements`, then calls `work` with the rows of the last statement. Commits when `work` resolves;
   * rolls back when it rejects, and rejects with the same error. Also rejects if `work` resolved but nothing was committed, because `work`
   * caught the error that rolled the transaction back.
   *
   * @param firstStatements statements without parameters, so that they can be sent together with BEGIN
   * @param work `query` sends a statement within the transaction
   */
  transact<T>(
    firstStatements: readonly string[],
    work: (tx: Tx, rows: readonly Row[], query: Query) => Promise<T>,
  ): Promise<T>;
}

/** Whether the handle is the user's own `InboxDatabase`. A handle from a library has no `transact`. */
export const isInboxDatabase = (handle: unknown): boolean => hasMethods(handle, ["query", "transact"]);

export const hasMethods = (handle: unknown, methods: readonly string[]): boolean =>
  typeof handle === "object" &&
  handle !== null &&
  methods.every((name) => typeof Reflect.get(handle, name) === "function");

/** Sends the statements one after another. @returns the rows of the last statement */
export async function queryAll(
  query: Query,
  statements: readonly string[],
  values?: Parameters<Query>[1],
): Promise<readonly Row[]> {
  let rows: readonly Row[] = [];
  for (const sql of statements) rows = await query(sql, values);
  return rows;
}
