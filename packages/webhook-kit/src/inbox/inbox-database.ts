/** A row of a result, by column. */
export type Row = Readonly<Record<string, unknown>>;

/**
 * Sends one statement, with values for its parameters, and resolves with the rows of its result. Of a statement that has none: as many
 * empty rows as it has changed.
 */
export type Query = (sql: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** The user's own database handle, reduced to what an inbox needs. `Tx` is what the user's code gets within a transaction. */
export interface InboxDatabase<Tx> {
  /** Outside of a transaction. */
  readonly query: Query;
  /**
   * One transaction: sends `first`, then calls `work` with its rows. Commits when `work` resolves and rolls back when it rejects, with
   * its error. Rejects when a statement of `work` had failed and nothing was committed, also if `work` caught the error.
   *
   * @param first has no parameters, so that it can be sent together with BEGIN
   * @param work `query` sends a statement within the transaction
   */
  transact<T>(first: string, work: (tx: Tx, rows: readonly Row[], query: Query) => Promise<T>): Promise<T>;
}
