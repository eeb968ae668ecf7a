export type Row = Readonly<Record<string, unknown>>;

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
