import { ConfigurationError } from "../../errors.ts";

/** A schema and a table. PostgreSQL cuts names at 63 bytes, and the names of the indexes are longer than the table's. */
const tableName = /^(?:([a-z_][a-z0-9_]{0,62})\.)?([a-z_][a-z0-9_]{0,49})$/;

/**
 * A table's name becomes part of SQL text, where no parameter can stand, so only plain names are allowed.
 *
 * @throws {ConfigurationError} `invalid_option`
 */
export function quoteTable(table: string): { readonly table: string; readonly name: string } {
  const [, schema, name] = (typeof table === "string" && tableName.exec(table)) || [];
  if (name === undefined)
    throw new ConfigurationError(
      "invalid_option",
      "table must be a name, or a schema and a name with a dot between: lower-case letters, digits and underscores, at most 50.",
    );
  return { table: schema === undefined ? `"${name}"` : `"${schema}"."${name}"`, name };
}

export const defaultTable = "offers_inbox";
