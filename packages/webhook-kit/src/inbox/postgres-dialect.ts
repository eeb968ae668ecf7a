import { rejectUnknownOptions } from "../errors/option-names.ts";
import { hasCause, type InboxDialect, type InboxStatements, quoteTable } from "./inbox-dialect.ts";

/**
 * Returns the SQL that creates the table for `postgresInbox`. Add it to your own migrations, because the kit does not create the table.
 * Running the SQL again is safe. Requires PostgreSQL 13 or newer.
 *
 * @param options.table the table passed to `postgresInbox` (default `offers_inbox`)
 * @throws {ConfigurationError} `invalid_option` for a table that is not a plain name
 *
 * @example
 * ```ts
 * import { inboxMigration } from "@offers/webhook-kit/postgres";
 *
 * console.log(inboxMigration());
 * ```
 */
export function inboxMigration(
  options: {
    /** The table passed to `postgresInbox`. @default "offers_inbox" */
    table?: string | undefined;
  } = {},
): string {
  rejectUnknownOptions("inboxMigration", options, ["table"]);
  const { table, name } = quoteTable(options.table);
  return `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  subject text,
  token text,
  status smallint,
  completed bigint,
  expires timestamptz NOT NULL
);
CREATE INDEX IF NOT EXISTS "${name}_subject" ON ${table} (subject) WHERE subject IS NOT NULL;
CREATE INDEX IF NOT EXISTS "${name}_expires" ON ${table} (expires);
`;
}

/** @param table the table that the user passed */
export function postgresDialect(table?: string): InboxDialect {
  const { table: quotedTable } = quoteTable(table);
  return {
    database: "PostgreSQL",
    inbox: "postgresInbox",
    table: quotedTable,
    statements: createStatements(quotedTable),
    isTableMissing: (error) => hasCause(error, isUndefinedTable),
    isConflict: (error) => hasCause(error, isSerializationFailure),
  };
}

/** Whether the error is PostgreSQL's `undefined_table`. Prisma puts the database's code into `meta`. */
const isUndefinedTable = (error: object): boolean =>
  Reflect.get(error, "code") === "42P01" || JSON.stringify(Reflect.get(error, "meta") ?? "").includes('"42P01"');

/**
 * Whether the error is PostgreSQL's `serialization_failure`, which repeatable read and serializable transactions can raise. Prisma uses its
 * own code.
 */
const isSerializationFailure = (error: object): boolean =>
  ["40001", "P2034"].includes(Reflect.get(error, "code")) ||
  JSON.stringify(Reflect.get(error, "meta") ?? "").includes('"40001"');

const createStatements = (table: string): InboxStatements => ({
  acquire: [
    `
INSERT INTO ${table} AS held (key, subject, token, expires)
VALUES ($1, $2, $3, clock_timestamp() + $4::double precision * interval '1 millisecond')
ON CONFLICT (key) DO UPDATE SET token = excluded.token, status = NULL, completed = NULL, expires = excluded.expires
WHERE held.expires <= clock_timestamp()
  OR EXISTS (SELECT 1 FROM ${table} AS later WHERE later.subject = held.subject AND later.completed > held.completed)
RETURNING key`,
  ],

  find: `
SELECT status, ceil(extract(epoch FROM expires - clock_timestamp()) * 1000)::double precision AS remaining
FROM ${table} WHERE key = $1`,

  // Transaction ids increase even when the clock is set back.
  complete: `
UPDATE ${table} SET token = NULL, status = $3, completed = pg_current_xact_id()::text::bigint,
  expires = clock_timestamp() + $4::double precision * interval '1 millisecond'
WHERE key = $1 AND token = $2 AND expires > clock_timestamp()`,

  release: `DELETE FROM ${table} WHERE key = $1 AND token = $2`,

  record: (key, keepMs) => [
    `
INSERT INTO ${table} (key, status, expires)
VALUES ('${key}', 200, clock_timestamp() + ${keepMs} * interval '1 millisecond')
ON CONFLICT (key) DO NOTHING RETURNING key`,
  ],

  lockResponse: (key, keepMs) => [
    `
INSERT INTO ${table} (key, expires) VALUES ('${key}', clock_timestamp() + ${keepMs} * interval '1 millisecond')
ON CONFLICT (key) DO UPDATE SET expires = excluded.expires RETURNING token`,
  ],

  setResponse: `UPDATE ${table} SET token = $2 WHERE key = $1`,

  findResponses: (keys, keepMs) => [
    `
WITH kept AS (
  UPDATE ${table} SET expires = clock_timestamp() + ${keepMs} * interval '1 millisecond'
  WHERE key IN ('${keys.join("', '")}') AND expires < clock_timestamp() + ${keepMs} / 2.0 * interval '1 millisecond'
)
SELECT key, token FROM ${table} WHERE key IN ('${keys.join("', '")}')`,
  ],

  deleteExpired: (batchSize) => `
DELETE FROM ${table} WHERE key IN (
  SELECT key FROM ${table} WHERE expires <= clock_timestamp() ORDER BY expires LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
) RETURNING 1 AS deleted`,
});
