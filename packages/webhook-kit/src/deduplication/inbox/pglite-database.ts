import type { Database, Row } from "./database.ts";

/**
 * What PGlite has.
 *
 * @inline
 */
export interface Pglite<Tx> {
  query(sql: string, values: unknown[]): Promise<{ rows: unknown[] }>;
  exec(sql: string): Promise<unknown>;
  transaction<T>(callback: (tx: Tx) => Promise<T>): Promise<T>;
}

interface PgliteTransaction {
  query(sql: string): Promise<{ rows: unknown[] }>;
}

export const pgliteDatabase = <Tx>(pglite: Pglite<Tx>): Database<Tx> => ({
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
