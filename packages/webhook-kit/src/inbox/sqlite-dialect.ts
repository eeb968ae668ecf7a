import { rejectUnknownOptions } from "../errors/option-names.ts";
import { hasCause, type InboxDialect, type InboxStatements, quoteTable } from "./inbox-dialect.ts";

/**
 * Returns the SQL that creates the table for `sqliteInbox`. Add it to your own migrations, because the kit does not create the table.
 * Running the SQL again is safe. Requires SQLite 3.35 or newer.
 *
 * @param options.table the table passed to `sqliteInbox` (default `offers_inbox`)
 * @throws {ConfigurationError} `invalid_option` for a table that is not a plain name
 *
 * @example
 * ```ts
 * import { DatabaseSync } from "node:sqlite";
 * import { inboxMigration } from "@offers/webhook-kit/sqlite";
 *
 * new DatabaseSync("planning.db").exec(inboxMigration());
 * ```
 */
export function inboxMigration(
  options: {
    /** The table passed to `sqliteInbox`. @default "offers_inbox" */
    table?: string | undefined;
  } = {},
): string {
  rejectUnknownOptions("inboxMigration", options, ["table"]);
  const { table, schema, name } = quoteTable(options.table);
  return `CREATE TABLE IF NOT EXISTS ${table} (
  key text PRIMARY KEY,
  subject text,
  token text,
  status integer,
  completed integer,
  expires integer NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ${schema}"${name}_subject" ON "${name}" (subject) WHERE subject IS NOT NULL;
CREATE INDEX IF NOT EXISTS ${schema}"${name}_expires" ON "${name}" (expires);
`;
}

/** @param table the table that the user passed */
export function sqliteDialect(table?: string): InboxDialect {
  const { table: quotedTable, name } = quoteTable(table);
  // SQLite has no code for a missing table. Its message ends with the name, which may be prefixed with the schema.
  const missingTablePattern = new RegExp(`no such table: (?:[a-z0-9_]+\\.)?${name}$`);
  return {
    database: "SQLite",
    inbox: "sqliteInbox",
    table: quotedTable,
    statements: createStatements(quotedTable),
    // Transactions run one after another on a single connection, so they cannot conflict.
    isConflict: () => false,
    isTableMissing: (error) =>
      hasCause(error, (cause) => missingTablePattern.test(String(Reflect.get(cause, "message")))),
  };
}

/** Unix time in milliseconds. `unixepoch('subsec')` would need SQLite 3.42. */
const now = "CAST(round((julianday('now') - 2440587.5) * 86400000) AS integer)";

const createStatements = (table: string): InboxStatements => ({
  acquire: [
    `
INSERT INTO ${table} AS held (key, subject, token, expires) VALUES ($1, $2, $3, ${now} + $4)
ON CONFLICT (key) DO UPDATE SET token = excluded.token, status = NULL, completed = NULL, expires = excluded.expires
WHERE held.expires <= ${now}
  OR EXISTS (SELECT 1 FROM ${table} AS later WHERE later.subject = held.subject AND later.completed > held.completed)
RETURNING key`,
  ],

  find: `SELECT status, expires - ${now} AS remaining FROM ${table} WHERE key = $1`,

  // SQLite has one writer at a time, so the numbers in `completed` increase for each subject.
  complete: `
UPDATE ${table} AS held SET token = NULL, status = $3, expires = ${now} + $4,
  completed = (SELECT coalesce(max(other.completed), 0) + 1 FROM ${table} AS other WHERE other.subject = held.subject)
WHERE key = $1 AND token = $2 AND expires > ${now}`,

  release: `DELETE FROM ${table} WHERE key = $1 AND token = $2`,

  record: (key, keepMs) => [
    `INSERT INTO ${table} (key, status, expires) VALUES ('${key}', 200, ${now} + ${keepMs}) ON CONFLICT (key) DO NOTHING RETURNING key`,
  ],

  lockResponse: (key, keepMs) => [
    `
INSERT INTO ${table} (key, expires) VALUES ('${key}', ${now} + ${keepMs})
ON CONFLICT (key) DO UPDATE SET expires = excluded.expires RETURNING token`,
  ],

  setResponse: `UPDATE ${table} SET token = $2 WHERE key = $1`,

  findResponses: (keys, keepMs) => [
    `
UPDATE ${table} SET expires = ${now} + ${keepMs}
WHERE key IN ('${keys.join("', '")}') AND expires < ${now} + ${keepMs} / 2`,
    `SELECT key, token FROM ${table} WHERE key IN ('${keys.join("', '")}')`,
  ],

  deleteExpired: (batchSize) => `
DELETE FROM ${table} WHERE key IN (SELECT key FROM ${table} WHERE expires <= ${now} ORDER BY expires LIMIT ${batchSize})
RETURNING 1 AS deleted`,
});
