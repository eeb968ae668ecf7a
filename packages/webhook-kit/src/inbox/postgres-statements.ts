import { ConfigurationError } from "../errors/errors.ts";
import { refuseUnknownOptions } from "../errors/option-names.ts";

/**
 * The SQL that creates the table of `postgresInbox`, for your own migrations: the kit creates nothing itself. PostgreSQL 13 or newer.
 *
 * @param options.table as given to `postgresInbox` (default `offers_inbox`)
 * @throws {ConfigurationError} `invalid_option` for a table that is no plain name
 *
 * @example
 * ```ts
 * import { inboxMigration } from "@offers/webhook-kit/postgres";
 *
 * console.log(inboxMigration());
 * ```
 */
export function inboxMigration(options: { table?: string } = {}): string {
  refuseUnknownOptions("inboxMigration", options, ["table"]);
  const { table, name } = quoteTable(options.table);
  return `CREATE TABLE ${table} (
  key text PRIMARY KEY,
  subject text,
  token text,
  status smallint,
  completed bigint,
  expires timestamptz NOT NULL
);
CREATE INDEX "${name}_subject" ON ${table} (subject) WHERE subject IS NOT NULL;
CREATE INDEX "${name}_expires" ON ${table} (expires);
`;
}

/** A schema and a table. PostgreSQL cuts names at 63 bytes, and the names of the indexes are longer than the table's. */
const tableName = /^(?:([a-z_][a-z0-9_]{0,62})\.)?([a-z_][a-z0-9_]{0,49})$/;

/**
 * A table's name becomes part of SQL text, where no parameter can stand, so only plain names are allowed.
 *
 * @throws {ConfigurationError} `invalid_option`
 */
export function quoteTable(table: string = defaultTable): { readonly table: string; readonly name: string } {
  const [, schema, name] = (typeof table === "string" && tableName.exec(table)) || [];
  if (name === undefined)
    throw new ConfigurationError(
      "invalid_option",
      "table must be a name, or a schema and a name with a dot between: lower-case letters, digits and underscores, at most 50.",
    );
  return { table: schema === undefined ? `"${name}"` : `"${schema}"."${name}"`, name };
}

const defaultTable = "offers_inbox";

/** The statements of an inbox, in the dialect of its database. */
export type InboxStatements = ReturnType<typeof inboxStatements>;

/**
 * The statements of an inbox. A row is a lease (`token`), a record (`status`), or an entry of the register, whose `token` is the
 * response that was handled last; all times are the database's.
 *
 * Column names are single words, because Kysely's `CamelCasePlugin` renames others in results.
 *
 * @param table quoted
 */
export const inboxStatements = (table: string) => ({
  /** For messages. */
  database: "PostgreSQL",

  /**
   * Parameters: key, subject, token, leaseMs. Returns a row if the lease was acquired. A record is superseded by a later one of its
   * subject (D-57): `completed` holds transaction ids, which ascend even when the clock is set back.
   */
  acquire: `
INSERT INTO ${table} AS held (key, subject, token, expires)
VALUES ($1, $2, $3, clock_timestamp() + $4::double precision * interval '1 millisecond')
ON CONFLICT (key) DO UPDATE SET token = excluded.token, status = NULL, completed = NULL, expires = excluded.expires
WHERE held.expires <= clock_timestamp()
  OR EXISTS (SELECT 1 FROM ${table} AS later WHERE later.subject = held.subject AND later.completed > held.completed)
RETURNING key`,

  /** Parameters: key. */
  find: `
SELECT status, ceil(extract(epoch FROM expires - clock_timestamp()) * 1000)::double precision AS remaining
FROM ${table} WHERE key = $1`,

  /** Parameters: key, token, status, keepMs. */
  complete: `
UPDATE ${table} SET token = NULL, status = $3, completed = pg_current_xact_id()::text::bigint,
  expires = clock_timestamp() + $4::double precision * interval '1 millisecond'
WHERE key = $1 AND token = $2 AND expires > clock_timestamp()`,

  /** Parameters: key, token. */
  release: `DELETE FROM ${table} WHERE key = $1 AND token = $2`,

  /**
   * Returns a row if the event is new. A concurrent duplicate waits here until the other transaction ends. Without parameters, so
   * that it can be sent together with BEGIN.
   *
   * @param key hexadecimal digits
   * @param keepMs a whole number
   */
  record: (key: string, keepMs: number) => `
INSERT INTO ${table} (key, status, expires)
VALUES ('${key}', 200, clock_timestamp() + ${keepMs} * interval '1 millisecond')
ON CONFLICT (key) DO NOTHING RETURNING key`,

  /**
   * Locks an entry of the register until the end of the transaction, and returns it. It is inserted first, so that there is a row to
   * lock. Without parameters, as `record`.
   */
  lockResponse: (key: string, keepMs: number) => `
INSERT INTO ${table} (key, expires) VALUES ('${key}', clock_timestamp() + ${keepMs} * interval '1 millisecond')
ON CONFLICT (key) DO UPDATE SET expires = excluded.expires RETURNING token`,

  /** Parameters: key, response. */
  setResponse: `UPDATE ${table} SET token = $2 WHERE key = $1`,

  /** Parameters: keys, keepMs. Keeps the entries of offers that are still read: once half of the time is over. */
  findResponses: `
WITH kept AS (
  UPDATE ${table} SET expires = clock_timestamp() + $2::double precision * interval '1 millisecond'
  WHERE key = ANY ($1::text[]) AND expires < clock_timestamp() + $2::double precision / 2 * interval '1 millisecond'
)
SELECT key, token FROM ${table} WHERE key = ANY ($1::text[])`,

  /** Parameters: batch size. Skips what another process deletes. */
  deleteExpired: `
WITH deleted AS (
  DELETE FROM ${table} WHERE key IN (
    SELECT key FROM ${table} WHERE expires <= clock_timestamp() ORDER BY expires LIMIT $1 FOR UPDATE SKIP LOCKED
  ) RETURNING key
)
SELECT count(*)::int AS deleted FROM deleted`,
});
