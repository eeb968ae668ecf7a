/**
 * The statements of an inbox. A row is a lease (`token`) or a record (`status`); all times are the database's.
 *
 * Column names are single words, because Kysely's `CamelCasePlugin` renames others in results.
 *
 * @param table quoted
 */
export const inboxStatements = (table: string) => ({
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

  /** Parameters: batch size. Skips what another process deletes. */
  deleteExpired: `
WITH deleted AS (
  DELETE FROM ${table} WHERE key IN (
    SELECT key FROM ${table} WHERE expires <= clock_timestamp() ORDER BY expires LIMIT $1 FOR UPDATE SKIP LOCKED
  ) RETURNING key
)
SELECT count(*)::int AS deleted FROM deleted`,
});
