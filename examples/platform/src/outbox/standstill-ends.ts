import { sql } from "kysely";

/**
 * To select first in a transaction on PostgreSQL that others wait for: a process that stands still in the middle of it loses its
 * connection after two seconds, and with it every lock. On PGlite there is but one process.
 */
export const standstillEnds = sql`set_config('idle_in_transaction_session_timeout', '2000', true)`;
