import type { PostgresPool, PostgresPoolClient } from "kysely";
import type pg from "pg";

/** Lists of varying length make many statements of one query. Further ones are planned each time. */
const maxPrepared = 200;

/**
 * The same pool with prepared statements, for work that runs the same ones again and again. Planning them took an eighth of the
 * CPU that deliveries cost PostgreSQL.
 */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    if (!names.has(text) && names.size < maxPrepared) names.set(text, `statement_${names.size + 1}`);
    return names.get(text);
  };
  const preparing = (client: pg.PoolClient): PostgresPoolClient => {
    // With a text; kysely passes a cursor only where the dialect is given a class for them.
    const query: unknown = (text: string, values: unknown[]) => {
      const name = values.length === 0 ? undefined : nameOf(text);
      return client.query({ text, values, ...(name !== undefined && { name }) });
    };
    return { query: query as PostgresPoolClient["query"], release: (destroy) => client.release(destroy) };
  };
  // kysely knows its connections by their clients.
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect();
      const known = clients.get(client) ?? preparing(client);
      clients.set(client, known);
      return known;
    },
    end: async () => undefined,
  };
}
