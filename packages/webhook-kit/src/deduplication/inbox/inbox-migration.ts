import { defaultTable, quoteTable } from "./quote-table.ts";

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
  const { table: plain = defaultTable } = options;
  const { table, name } = quoteTable(plain);
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
