import { ConfigurationError } from "../errors/errors.ts";

/** An inbox's table in one kind of database, with its statements. */
export interface InboxDialect {
  /** For messages: the database and its function. */
  readonly database: string;
  readonly inbox: string;
  /** As given by the user, quoted. */
  readonly table: string;
  readonly statements: InboxStatements;
  /** Whether an error of the database says that the table does not exist. */
  isTableMissing(error: object): boolean;
  /**
   * Whether the database has rolled a statement or transaction back because of another one that ran at the same time, and it may be
   * sent again.
   */
  isConflict(error: object): boolean;
}

/**
 * The statements of an inbox. A row is a lease (`token`), a record (`status`), or an entry of the register, whose `token` is the
 * response that was handled last; all times are the database's. A statement returns rows, or, where the dialect has no RETURNING,
 * as many empty rows as it has changed. Keys in the functions are hexadecimal digits, and numbers are whole.
 *
 * Column names are single words, because Kysely's `CamelCasePlugin` renames others in results.
 */
export interface InboxStatements {
  /**
   * Parameters: key, subject, token, leaseMs. The last returns a row if the lease was acquired; each is a transaction of its own.
   * A record is superseded by a later one of its subject (D-57): `completed` is a number that ascends.
   */
  readonly acquire: readonly string[];
  /** Parameters: key. Returns `status` and `remaining` milliseconds. */
  readonly find: string;
  /** Parameters: key, token, status, keepMs. */
  readonly complete: string;
  /** Parameters: key, token. */
  readonly release: string;
  /** Returns a row if the event is new. A concurrent duplicate waits here until the other transaction ends. */
  record(key: string, keepMs: number): readonly string[];
  /**
   * Locks an entry of the register until the end of the transaction; the last returns its `token`. The entry is inserted first, so
   * that there is a row to lock.
   */
  lockResponse(key: string, keepMs: number): readonly string[];
  /** Parameters: key, response. */
  readonly setResponse: string;
  /** The last returns `key` and `token`. Keeps the entries of offers that are still read: once half of the time is over. */
  findResponses(keys: readonly string[], keepMs: number): readonly string[];
  /** Returns a row for each that was deleted. Skips what another process deletes, where the database can. */
  deleteExpired(batchSize: number): string;
}

/** A schema and a table. PostgreSQL cuts names at 63 bytes, and the names of the indexes are longer than the table's. */
const tableName = /^(?:([a-z_][a-z0-9_]{0,62})\.)?([a-z_][a-z0-9_]{0,49})$/;

/**
 * A table's name becomes part of SQL text, where no parameter can stand, so only plain names are allowed.
 *
 * @param quote the dialect's quotation mark of names
 * @returns the quoted table, and its parts; `schema` is quoted with its dot, or empty
 * @throws {ConfigurationError} `invalid_option`
 */
export function quoteTable(
  table: string = defaultTable,
  quote = '"',
): { readonly table: string; readonly schema: string; readonly name: string } {
  const [, schemaName, name] = (typeof table === "string" && tableName.exec(table)) || [];
  if (name === undefined)
    throw new ConfigurationError(
      "invalid_option",
      "table must be a name, or a schema and a name with a dot between: lower-case letters, digits and underscores, at most 50.",
    );
  const schema = schemaName === undefined ? "" : `${quote}${schemaName}${quote}.`;
  return { table: `${schema}${quote}${name}${quote}`, schema, name };
}

export const defaultTable = "offers_inbox";

/** Whether an error, or one of its causes, which ORMs add, satisfies the condition. */
export function hasCause(error: object, condition: (cause: object) => boolean): boolean {
  for (let cause: unknown = error, depth = 0; typeof cause === "object" && cause !== null && depth < 5; depth += 1) {
    if (condition(cause)) return true;
    cause = Reflect.get(cause, "cause");
  }
  return false;
}
