import type { PostgresPool, PostgresPoolClient } from "kysely";
import type pg from "pg";
import { PlanAge } from "./plan-age.ts";

/** Lists of varying length make many statements of one query. Further ones are planned each time. */
const maxPrepared = 200;

/**
 * The same pool with prepared statements, for work that runs the same ones again and again: planning them took a quarter of the
 * CPU that deliveries cost PostgreSQL.
 */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    if (!names.has(text) && names.size < maxPrepared) names.set(text, `statement_${names.size + 1}`);
    return names.get(text);
  };
  const preparing = (client: pg.PoolClient): PostgresPoolClient => {
    const plans = new PlanAge();
    // With a text; kysely passes a cursor only where the dialect is given a class for them.
    const query: unknown = async (text: string, values: unknown[]) => {
      const name = values.length === 0 ? undefined : nameOf(text);
      if (name === undefined) return client.query(text, values);
      if (plans.areOld()) await client.query("discard plans");
      return client.query({ text, values, name });
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
