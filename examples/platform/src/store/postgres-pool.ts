import { Socket } from "node:net";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";
import { Connection, databaseLostError } from "./lost-database.ts";
import { PlanAge, planSettings } from "./query-plans.ts";

const int8Oid = 20;

/**
 * How long a connection may stay silent before it is closed. Must be longer than `statement_timeout`. The pool closes idle
 * connections much earlier.
 */
const defaultSilenceMs = 35_000;

/**
 * Builds the statement that sets the server's settings, including timeouts for statements that hang and for transactions of a process
 * that stalls. The latter is short, because other processes wait for the locks of such a transaction. The settings are not part of the
 * connection's startup message, because PgBouncer rejects unknown parameters there.
 *
 * @param command `set` for the session, `set local` for the transaction
 */
const settingsStatement = (command: "set" | "set local"): string => `
  ${command} statement_timeout = '30s';
  ${command} idle_in_transaction_session_timeout = '2s';
  ${planSettings.map((setting) => `${command} ${setting}`).join(";")};
  ${command} default_transaction_isolation = 'read committed'`;

export interface PoolOptions {
  /**
   * Whether `databaseUrl` points to a pooler in transaction mode. Each transaction may then use a different PostgreSQL session, so
   * session settings and named statements are not used. @default false
   */
  isTransactionPooler?: boolean;
  /** How long a connection may stay silent, in milliseconds. @default 35_000 */
  silenceMs?: number;
}

/**
 * Opens a connection pool that survives lost connections, because an `error` event without a listener would end the process. Closes
 * connections that stay silent, for example after a failover or because a firewall dropped them. Otherwise, queries on them would
 * never return.
 */
export function openPool(databaseUrl: string, onError: (error: Error) => void, options: PoolOptions = {}): pg.Pool {
  const { isTransactionPooler = false, silenceMs = defaultSilenceMs } = options;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 20,
    connectionTimeoutMillis: 10_000,
    stream: () => createSocket(silenceMs),
    application_name: "offers-platform",
    ...(!isTransactionPooler && { onConnect: async (client) => void (await client.query(settingsStatement("set"))) }),
    types: {
      // Return counts and ids as numbers, like PGlite. pg returns strings by default.
      getTypeParser: (oid, format) => (oid === int8Oid ? Number : pg.types.getTypeParser(oid, format)),
    },
  });
  // Ignore errors from connections that the pool is closing.
  const onLost = (error: Error): void => {
    if (!pool.ending) onError(error);
  };
  pool.on("error", onLost);
  pool.on("connect", (client) => client.on("error", onLost));
  return pool;
}

/** Creates an unconnected client outside the pool. Query it regularly, because its connection is closed if it stays silent. */
export const createSeparateClient = (databaseUrl: string): pg.Client =>
  new pg.Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: 10_000,
    stream: () => createSocket(defaultSilenceMs),
    application_name: "offers-platform signals",
  });

function createSocket(silenceMs: number): Socket {
  const socket = new Socket();
  socket.setTimeout(silenceMs, () => {
    socket.destroy(Object.assign(new Error(`the database sent nothing for ${silenceMs} ms`), { code: "ETIMEDOUT" }));
  });
  return socket;
}

/**
 * The maximum number of prepared statements. A query that contains a list has a different text for each length of the list.
 * Statements beyond this limit are planned each time.
 */
const maxPrepared = 200;

/**
 * Returns the same pool, but with prepared statements. Use it for background work, which repeats a few statements that would otherwise
 * be planned each time. In a transaction, each statement has one plan for all parameters. Otherwise, PostgreSQL would plan a claim
 * again whenever it estimates that a custom plan is slightly cheaper.
 */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const statementName = (text: string): string | undefined => {
    if (!names.has(text) && names.size < maxPrepared) names.set(text, `statement_${names.size + 1}`);
    return names.get(text);
  };
  return withClients(pool, (client) => {
    const plans = new PlanAge();
    return async (text, values) => {
      if (text === "begin") return begin(client, "set local plan_cache_mode = 'force_generic_plan'");
      const name = values.length === 0 ? undefined : statementName(text);
      if (name === undefined) return client.query(text, values);
      if (plans.isDiscardDue()) await client.query("discard plans");
      return client.query({ text, values, name });
    };
  });
}

/** Returns the same pool, but for a pooler in transaction mode: settings are set for each transaction instead of the session. */
export function withTransactionSettings(pool: pg.Pool): PostgresPool {
  const settings = settingsStatement("set local");
  return withClients(
    pool,
    (client) => (text, values) => (text === "begin" ? begin(client, settings) : client.query(text, values)),
  );
}

/**
 * Starts a transaction. Sends one string, so that the settings do not need a separate round trip. Each statement in a claim must see
 * what was committed before it, even if the database's default is repeatable read.
 */
async function begin(client: pg.PoolClient, settings: string): Promise<unknown> {
  await client.query(`begin isolation level read committed; ${settings}`);
  // kysely expects one result, but pg returns one for each statement in the string.
  return { command: "BEGIN", rowCount: 0, rows: [] };
}

type Query = (text: string, values: unknown[]) => Promise<unknown>;

/**
 * Returns the same pool, but its clients use the query function from `createQuery`. Discards lost connections, and connections to a
 * server that has been read-only since a failover.
 *
 * @param createQuery creates a client's query function. @default sends each statement unchanged
 */
export function withClients(
  pool: pg.Pool,
  createQuery: (client: pg.PoolClient) => Query = (client) => (text, values) => client.query(text, values),
): PostgresPool {
  // kysely identifies a connection by its client object, so always return the same object for a client.
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw databaseLostError(error);
      });
      let kyselyClient = clients.get(client);
      if (kyselyClient === undefined) {
        const connection = new Connection();
        const send = createQuery(client);
        // The first argument is always a string, because kysely passes a cursor only if the dialect has the option `cursor`.
        const query: unknown = (text: string, values: unknown[]) => connection.query(text, () => send(text, values));
        kyselyClient = {
          query: query as PostgresPoolClient["query"],
          release: (destroy) => client.release(destroy || connection.isLost),
        };
        clients.set(client, kyselyClient);
      }
      return kyselyClient;
    },
    // The store ends the pool, because several kysely instances share it.
    end: async () => undefined,
  };
}
