import type { Database, Row } from "./database.ts";

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
export interface PgPool<Tx> {
  connect(): Promise<Tx>;
  connect(
    callback: (error: Error | undefined, client: Tx | undefined, done: (release?: unknown) => void) => void,
  ): void;
  query(sql: string, values: unknown[]): Promise<{ rows: Row[] }>;
  readonly totalCount: number;
}

export const poolDatabase = <Tx>(pool: PgPool<Tx>): Database<Tx> => ({
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
