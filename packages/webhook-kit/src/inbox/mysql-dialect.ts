import { rejectUnknownOptions } from "../errors/option-names.ts";
import { hasCause, type InboxDialect, type InboxStatements, quoteTable } from "./inbox-dialect.ts";

/**
 * Returns the SQL that creates the table for `mysqlInbox`. Add it to your own migrations, because the kit does not create the table.
 * Running the SQL again is safe. Requires MySQL 8 or MariaDB 10.6, or newer.
 *
 * @param options.table the table passed to `mysqlInbox` (default `offers_inbox`)
 * @throws {ConfigurationError} `invalid_option` for a table that is not a plain name
 *
 * @example
 * ```ts
 * import { inboxMigration } from "@offers/webhook-kit/mysql";
 *
 * console.log(inboxMigration());
 * ```
 */
export function inboxMigration(
  options: {
    /** The table passed to `mysqlInbox`. @default "offers_inbox" */
    table?: string | undefined;
  } = {},
): string {
  rejectUnknownOptions("inboxMigration", options, ["table"]);
  const { table, name } = quoteTable(options.table, "`");
  return `CREATE TABLE IF NOT EXISTS ${table} (
  \`key\` char(64) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY,
  subject char(64) CHARACTER SET ascii COLLATE ascii_bin,
  token text CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
  status smallint,
  completed bigint,
  expires datetime(3) NOT NULL,
  INDEX \`${name}_subject\` (subject, completed),
  INDEX \`${name}_expires\` (expires)
) ENGINE = InnoDB;
`;
}

/** @param table the table that the user passed */
export function mysqlDialect(table?: string): InboxDialect {
  const { table: quotedTable } = quoteTable(table, "`");
  return {
    database: "MySQL",
    inbox: "mysqlInbox",
    table: quotedTable,
    statements: createStatements(quotedTable),
    isConflict: (error) => hasCause(error, (cause) => Reflect.get(cause, "code") === "ER_LOCK_DEADLOCK"),
    isTableMissing: (error) => hasCause(error, (cause) => Reflect.get(cause, "code") === "ER_NO_SUCH_TABLE"),
  };
}

const now = "UTC_TIMESTAMP(3)";

const nowPlus = (milliseconds: number | string): string => `${now} + INTERVAL ${milliseconds} * 1000 MICROSECOND`;

/**
 * Hashes the key of a lease, because MySQL limits the length of a primary key, and its collations treat some strings as equal. The prefix
 * distinguishes the hash from the key of a record that `once` wrote.
 */
const leaseKey = "SHA2(CONCAT('lease ', $1), 256)";

const createStatements = (table: string): InboxStatements => ({
  // MySQL cannot read the table that it upserts into, so an expired or superseded lease is deleted first.
  acquire: [
    `
DELETE held FROM ${table} AS held
LEFT JOIN ${table} AS later ON later.subject = held.subject AND later.completed > held.completed
WHERE held.\`key\` = ${leaseKey} AND (held.expires <= ${now} OR later.\`key\` IS NOT NULL)`,
    `
INSERT IGNORE INTO ${table} (\`key\`, subject, token, expires)
VALUES (${leaseKey}, SHA2($2, 256), $3, ${nowPlus("$4")})`,
  ],

  find: `
SELECT status, CEIL(TIMESTAMPDIFF(MICROSECOND, ${now}, expires) / 1000) AS remaining
FROM ${table} WHERE \`key\` = ${leaseKey}`,

  // Use a derived table, because MySQL cannot read the table that it updates.
  complete: `
UPDATE ${table} AS held JOIN (
  SELECT COALESCE(MAX(other.completed), 0) + 1 AS number
  FROM ${table} AS own JOIN ${table} AS other ON other.subject = own.subject WHERE own.\`key\` = ${leaseKey}
) AS next
SET held.token = NULL, held.status = $3, held.completed = next.number, held.expires = ${nowPlus("$4")}
WHERE held.\`key\` = ${leaseKey} AND held.token = $2 AND held.expires > ${now}`,

  release: `DELETE FROM ${table} WHERE \`key\` = ${leaseKey} AND token = $2`,

  record: (key, keepMs) => [
    `INSERT IGNORE INTO ${table} (\`key\`, status, expires) VALUES ('${key}', 200, ${nowPlus(keepMs)})`,
  ],

  lockResponse: (key, keepMs) => [
    `
INSERT INTO ${table} (\`key\`, expires) VALUES ('${key}', ${nowPlus(keepMs)})
ON DUPLICATE KEY UPDATE expires = VALUES(expires)`,
    `SELECT token FROM ${table} WHERE \`key\` = '${key}' FOR UPDATE`,
  ],

  setResponse: `UPDATE ${table} SET token = $2 WHERE \`key\` = $1`,

  findResponses: (keys, keepMs) => [
    `
UPDATE ${table} SET expires = ${nowPlus(keepMs)}
WHERE \`key\` IN ('${keys.join("', '")}') AND expires < ${nowPlus(`${keepMs} / 2`)}`,
    `SELECT \`key\`, token FROM ${table} WHERE \`key\` IN ('${keys.join("', '")}')`,
  ],

  deleteExpired: (batchSize) => `DELETE FROM ${table} WHERE expires <= ${now} ORDER BY expires LIMIT ${batchSize}`,
});
