import type { Database, Row } from "./database.ts";

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
export interface KyselyDatabase<Tx> {
  readonly isTransaction: boolean;
  transaction(): { execute<T>(callback: (tx: Tx) => Promise<T>): Promise<T> };
  executeQuery(query: never): Promise<{ rows: unknown[] }>;
}

export const kyselyDatabase = <Tx>(kysely: KyselyDatabase<Tx>): Database<Tx> => ({
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
