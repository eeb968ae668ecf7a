import { Socket } from "node:net";
import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg from "pg";
import { Connection, databaseLost } from "./lost-database.ts";
import { PlanAge, planSettings } from "./query-plans.ts";

const int8 = 20;

/**
 * How long a connection may send nothing before it is closed: longer than `statement_timeout`. The pool closes idle
 * connections much earlier.
 */
const defaultSilenceMs = 35_000;

/**
 * The server's timeouts for a statement or transaction that hangs; the platform's own limit, `transactionLimitMs`, is
 * shorter. They are not part of the connection's startup message, where PgBouncer rejects unknown parameters.
 *
 * @param command `set` for the session, `set local` for the transaction
 */
const settingsBy = (command: "set" | "set local", idleLimit = "30s"): string => `
  ${command} statement_timeout = '30s';
  ${command} idle_in_transaction_session_timeout = '${idleLimit}';
  ${planSettings.map((setting) => `${command} ${setting}`).join(";")};
  ${command} default_transaction_isolation = 'read committed'`;

/**
 * A process that stalls in the middle of background work soon loses its connection, and with it the locks that others wait for: those of
 * lanes, leases and settling.
 */
const backgroundIdleLimit = "2s";

export interface PoolOptions {
  /**
   * Whether `databaseUrl` is a pooler in transaction mode: each transaction may use another session of PostgreSQL. Then no
   * session settings or named statements are used. @default false
   */
  isTransactionPooler?: boolean;
  /** @default 35_000 */
  silenceMs?: number;
}

/**
 * A connection pool that survives the loss of connections: an `error` event without a listener would end the process. It
 * closes connections that stay silent, for example after a failover or behind a firewall that dropped them: a query on one
 * would never return.
 */
export function openPool(databaseUrl: string, onError: (error: Error) => void, options: PoolOptions = {}): pg.Pool {
  const { isTransactionPooler = false, silenceMs = defaultSilenceMs } = options;
  const pool = new pg.Pool({
    connectionString: databaseUrl,
    max: 20,
    connectionTimeoutMillis: 10_000,
    stream: () => endingInSilence(silenceMs),
    application_name: "offers-platform",
    ...(!isTransactionPooler && { onConnect: async (client) => void (await client.query(settingsBy("set"))) }),
    types: {
      // Counts and identities are numbers, as in PGlite, instead of pg's default strings.
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

/** A query with a list of varying length has many forms. Beyond this number, each execution is planned. */
const maxPrepared = 200;

/**
 * The same pool with prepared statements, for background work, which repeats few statements and would otherwise plan them each time. In a
 * transaction, each has one plan for all parameters: otherwise PostgreSQL plans a claim again whenever it estimates a custom plan to be
 * slightly cheaper.
 */
export function withPreparedStatements(pool: pg.Pool): PostgresPool {
  const names = new Map<string, string>();
  const nameOf = (text: string): string | undefined => {
    if (!names.has(text) && names.size < maxPrepared) names.set(text, `statement_${names.size + 1}`);
    return names.get(text);
  };
  return withClients(pool, (client) => {
    const plans = new PlanAge();
    return async (text, values) => {
      if (text === "begin")
        return begin(
          client,
          `set local plan_cache_mode = 'force_generic_plan'; set local idle_in_transaction_session_timeout = '${backgroundIdleLimit}'`,
        );
      const name = values.length === 0 ? undefined : nameOf(text);
      if (name === undefined) return client.query(text, values);
      if (plans.areOld()) await client.query("discard plans");
      return client.query({ text, values, name });
    };
  });
}

/** The same pool for a pooler in transaction mode: each transaction starts with the settings of a session. */
export function withTransactionSettings(pool: pg.Pool, work: "foreground" | "background"): PostgresPool {
  const settings = settingsBy("set local", work === "background" ? backgroundIdleLimit : undefined);
  return withClients(
    pool,
    (client) => (text, values) => (text === "begin" ? begin(client, settings) : client.query(text, values)),
  );
}

/**
 * One string, so that the settings need no extra round trip. Each statement of a claim must see what was committed before it, even in a
 * database whose default is repeatable read.
 */
async function begin(client: pg.PoolClient, settings: string): Promise<unknown> {
  await client.query(`begin isolation level read committed; ${settings}`);
  return { command: "BEGIN", rowCount: 0, rows: [] };
}

type Query = (text: string, values: unknown[]) => Promise<unknown>;

/**
 * The same pool, whose clients query with `queryOf`. It discards connections to a database that is lost, or read-only since a failover.
 *
 * @param queryOf @default sends each statement unchanged
 */
export function withClients(
  pool: pg.Pool,
  queryOf: (client: pg.PoolClient) => Query = (client) => (text, values) => client.query(text, values),
): PostgresPool {
  // kysely recognises a connection by its client object, so each client keeps its own.
  const clients = new WeakMap<pg.PoolClient, PostgresPoolClient>();
  return {
    options: pool.options,
    async connect() {
      const client = await pool.connect().catch((error: unknown) => {
        throw databaseLost(error);
      });
      let known = clients.get(client);
      if (known === undefined) {
        const connection = new Connection();
        const send = queryOf(client);
        // The first argument is a string: kysely passes a cursor only when the dialect has the option `cursor`.
        const query: unknown = (text: string, values: unknown[]) => connection.query(text, () => send(text, values));
        known = {
          query: query as PostgresPoolClient["query"],
          release: (destroy) => client.release(destroy || connection.isLost),
        };
        clients.set(client, known);
      }
      return known;
    },
    end: async () => undefined,
  };
}
