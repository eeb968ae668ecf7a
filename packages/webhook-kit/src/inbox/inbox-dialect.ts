import { ConfigurationError } from "../errors/errors.ts";

/** An inbox's table and statements for one type of database. */
export interface InboxDialect {
  /** The database's name, for messages. */
  readonly database: string;
  /** The name of the function that creates the inbox, for messages. */
  readonly inbox: string;
  /** The table name that the user passed, quoted. */
  readonly table: string;
  readonly statements: InboxStatements;
  /** Whether a database error means that the table does not exist. */
  isTableMissing(error: object): boolean;
  /**
   * Whether the database rolled back a statement or transaction because of a concurrent one, so that it may be sent again.
   */
  isConflict(error: object): boolean;
}

/**
 * An inbox's statements. A row is a lease (with a `token`), a record (with a `status`), or a last response (stored in `token`). All times
 * are from the database's clock. A statement returns rows. If the dialect has no RETURNING, it returns one empty row for each changed row.
 * Keys passed to the functions are hexadecimal, and numbers are integers.
 *
 * Column names are single words, because Kysely's `CamelCasePlugin` renames any others in results.
 */
export interface InboxStatements {
  /**
   * Parameters: key, subject, token, leaseMs. Each statement is a separate transaction. The last statement returns a row if the lease was
   * acquired. A record is superseded by another record with the same subject and a higher `completed`.
   */
  readonly acquire: readonly string[];
  /** Parameters: key. Returns `status` and `remaining`, in milliseconds. */
  readonly find: string;
  /** Parameters: key, token, status, keepMs. */
  readonly complete: string;
  /** Parameters: key, token. */
  readonly release: string;
  /** The last statement returns a row if the event is new. A concurrent duplicate waits until the other transaction ends. */
  record(key: string, keepMs: number): readonly string[];
  /**
   * Locks a recipient's last response until the end of the transaction; the last statement returns its `token`. The entry is inserted
   * first, so that there is a row to lock.
   */
  lockResponse(key: string, keepMs: number): readonly string[];
  /** Parameters: key, response. */
  readonly setResponse: string;
  /**
   * The last statement returns `key` and `token`. Extends the expiry of the entries that it reads, once half of their lifetime has passed.
   */
  findResponses(keys: readonly string[], keepMs: number): readonly string[];
  /** Returns a row for each row that it deleted. Skips rows that another process is deleting, if the database can. */
  deleteExpired(batchSize: number): string;
}

/** Matches a table name with an optional schema. PostgreSQL truncates names at 63 bytes, and index names are longer than the table name. */
const tablePattern = /^(?:([a-z_][a-z0-9_]{0,62})\.)?([a-z_][a-z0-9_]{0,49})$/;

/**
 * Quotes a table name. The name becomes part of the SQL, because SQL has no parameters for tables, so only plain names are accepted.
 *
 * @param quote the dialect's quotation mark for names
 * @returns `table` is the quoted table with its schema, `schema` the quoted schema with its dot or an empty string, and `name` the plain
 * name
 * @throws {ConfigurationError} `invalid_option`
 */
export function quoteTable(
  table: string = defaultTable,
  quote = '"',
): { readonly table: string; readonly schema: string; readonly name: string } {
  const match = typeof table === "string" ? tablePattern.exec(table) : undefined;
  const [, schemaName, name] = match ?? [];
  if (name === undefined)
    throw new ConfigurationError(
      "invalid_option",
      "table must be a name, or a schema, a dot and a name, each of at most 50 lower-case letters, digits and underscores, and without a digit at its start.",
    );
  const schema = schemaName === undefined ? "" : `${quote}${schemaName}${quote}.`;
  return { table: `${schema}${quote}${name}${quote}`, schema, name };
}

export const defaultTable = "offers_inbox";

const maxCauseDepth = 5;

/** Whether an error or one of its causes satisfies the condition. The cause of an ORM's error is the driver's error. */
export function hasCause(error: object, condition: (cause: object) => boolean): boolean {
  let cause: unknown = error;
  for (let depth = 0; depth < maxCauseDepth; depth += 1) {
    if (typeof cause !== "object" || cause === null) return false;
    if (condition(cause)) return true;
    cause = Reflect.get(cause, "cause");
  }
  return false;
}
