import { Socket } from "node:net";
import pg from "pg";
import { pageCost } from "./page-cost.ts";

const int8 = 20;

/** Longer than the server lets a statement take. An idle connection is closed long before. */
const defaultSilenceMs = 35_000;

/**
 * The server's timeouts for a statement or transaction that hangs; the platform's own comes first, see in-transaction.ts. Not in the
 * connection's startup message: PgBouncer refuses parameters that it does not know there.
 */
const sessionSettings = `
  set statement_timeout = '30s';
  set idle_in_transaction_session_timeout = '30s';
  set ${pageCost}`;

/**
 * A connection pool that survives the loss of connections: an `error` event without a listener would end the process. It
 * closes those that go silent, as after a failover or behind a firewall that forgot them: nothing else would end that wait.
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
  // What becomes of a connection that is being closed is no trouble.
  const onLost = (error: Error): void => void (pool.ending || onError(error));
  pool.on("error", onLost);
  pool.on("connect", (client) => client.on("error", onLost));
  return pool;
}

/** A connection beside the pool, not connected yet. Given up for its silence too: its user asks something now and then. */
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
