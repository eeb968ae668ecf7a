import { Socket } from "node:net";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";
import { PlanAge, pageCost } from "./query-plans.ts";

const int8 = 20;

/**
 * How long a connection may send nothing before it is closed: longer than `statement_timeout`. The pool closes idle
 * connections much earlier.
 */
const defaultSilenceMs = 35_000;

/**
 * The server's timeouts for a statement or transaction that hangs; the platform's own limit, `transactionLimitMs`, is
 * shorter. They are not part of the connection's startup message, because PgBouncer refuses unknown parameters there.
 */
const sessionSettings = `
  set statement_timeout = '30s';
  set idle_in_transaction_session_timeout = '30s';
  set ${pageCost}`;

/**
 * A connection pool that survives the loss of connections: an `error` event without a listener would end the process. It
 * closes connections that stay silent, for example after a failover or behind a firewall that dropped them: a query on one
 * would never return.
 */
export function openPool(databaseUrl: string, onError: (error: Error) => void, silenceMs = defaultSilenceMs): pg.Pool {
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 20,
    connectionTimeoutMillis: 10_000,
    stream: () => endingInSilence(silenceMs),
    application_name: "offers-platform",
    onConnect: async (client) => void (await client.query(sessionSettings)),
    types: {
      // Counts and identities are numbers, as PGlite gives them, not the strings of pg's default.
      getTypeParser: (oid, format) => (oid === int8 ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  // Errors of connections that the pool is closing do not matter.
  const onLost = (error: Error): void => void (pool.ending || onError(error));
  pool.on("error", onLost);
  pool.on("connect", (client) => client.on("error", onLost));
  return pool;
}

/** A connection outside the pool, not yet connected. It is closed after the same silence, so its user must query it regularly. */
export const ownClient = (databaseUrl: string): pg.Client =>
  new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    stream: () => endingInSilence(defaultSilenceMs),
    application_name: "offers-platform signals",
  });

function endingInSilence(silenceMs: number): Socket {
  const socket = new Socket();
  socket.setTimeout(silenceMs, () => socket.destroy(new Error(`the database said nothing for ${silenceMs} ms`)));
  return socket;
}

/** A query with a list of varying length has many texts. Texts beyond this number are planned at each execution. */
const maxPrepared = 200;

/**
 * The same pool with prepared statements, for background work, which repeats few statements: planning them took a quarter
 * of the CPU that deliveries cost PostgreSQL.
 */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    if (!names.has(text) && names.size < maxPrepared) names.set(text, `statement_${names.size + 1}`);
    return names.get(text);
  };
  const preparing = (client: pg.PoolClient): PostgresPoolClient => {
    const plans = new PlanAge();
    // The first argument is a text: kysely passes a cursor only when the dialect has the option `cursor`.
    const query: unknown = async (text: string, values: unknown[]) => {
      const name = values.length === 0 ? undefined : nameOf(text);
      if (name === undefined) return client.query(text, values);
      if (plans.areOld()) await client.query("discard plans");
      return client.query({ text, values, name });
    };
    return { query: query as PostgresPoolClient["query"], release: (destroy) => client.release(destroy) };
  };
  // kysely recognises a connection by its client object, so each client keeps its own.
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
