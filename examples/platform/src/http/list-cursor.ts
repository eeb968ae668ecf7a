import { z } from "zod";
import { remedyForText } from "./fields.ts";

/** A row's sort key. A list continues after it even if the row was deleted. */
export interface ListKey {
  /** Microseconds since the Unix epoch, or the row's sequence number. */
  position: number;
  /** Orders rows with the same position; empty where positions are unique. */
  id: string;
}

/** Selects a page of a list (D-92). */
export interface ListPage {
  /** The page starts after this row. @default starts with the newest row */
  before?: ListKey | undefined;
  limit: number;
}

/** One page of rows, with the pagination cursor for the next page; null on the last page. */
export interface RowPage<Row> {
  rows: Row[];
  next: string | null;
}

/** A list that JSON routes and pages read one page at a time. */
export interface PagedList<Deps, User, Row, Query = ListPage> {
  cursor: ListCursor;
  read(deps: Deps, user: User, query: Query): Promise<RowPage<Row>>;
}

/** Encodes and decodes the cursors of a list. Uses keyset pagination, so that new rows do not shift pages. */
export interface ListCursor {
  /** The list's name, which every cursor contains. */
  name: string;
  /** Encodes the cursor for the page after the row with this key. */
  encode(key: ListKey): string;
  /** Decodes a cursor. @returns undefined unless this list's `encode` created it */
  decode(cursor: string): ListKey | undefined;
  /** Removes the row beyond `limit`, which only indicates that there is a next page, and adds the cursor for that page. */
  toPage<Row>(rows: readonly Row[], limit: number, toKey: (row: Row) => ListKey): RowPage<Row>;
}

/**
 * Creates the cursor functions of a list.
 *
 * @param name the list's name, so that `decode` rejects the cursors of other lists
 * @param idPattern matches the ids in the list
 */
export function createListCursor(name: string, idPattern: RegExp): ListCursor {
  const schema = z.tuple([
    z.literal(name),
    z.number().int().min(0),
    z
      .string()
      .max(500)
      .regex(idPattern)
      .refine((id) => remedyForText(id) === undefined),
  ]);
  const encode = ({ position, id }: ListKey): string =>
    Buffer.from(JSON.stringify([name, position, id])).toString("base64url");
  return {
    name,
    encode,
    decode(cursor) {
      const parsed = schema.safeParse(parseJson(Buffer.from(cursor, "base64url").toString()));
      if (!parsed.success) return undefined;
      const [, position, id] = parsed.data;
      // Compare with the encoded form, because Buffer ignores characters that are not base64.
      return encode({ position, id }) === cursor ? { position, id } : undefined;
    },
    toPage: (rows, limit, toKey) => {
      const pageRows = rows.slice(0, limit);
      const last = rows.length > limit ? pageRows.at(-1) : undefined;
      return { rows: pageRows, next: last === undefined ? null : encode(toKey(last)) };
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The maximum and default page size of a list (D-92). */
const maxListLimit = 100;

/** Creates the schema of an optional query parameter. A repeated parameter is an array, which is invalid. */
export const createParameterSchema = <T>(parseText: (text: string) => T | undefined, remedy: string) =>
  z
    .unknown()
    .optional()
    .transform((raw, context) => {
      if (raw === undefined) return undefined;
      const value = typeof raw === "string" ? parseText(raw) : undefined;
      if (value === undefined) context.addIssue({ code: "custom", message: remedy });
      return value;
    });

/** Creates the schema of the parameter `limit`, a page size from 1 to `max`. */
export const createLimitSchema = (max: number, defaultLimit: number) =>
  createParameterSchema(
    (text) => (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= max ? Number(text) : undefined),
    `Send one whole number from 1 to ${max}.`,
  ).transform((limit) => limit ?? defaultLimit);

/** Creates the schema of a list's query parameters. Extend the schema for a list with additional parameters. */
export const createListSchema = (cursor: ListCursor) =>
  z.strictObject({
    limit: createLimitSchema(maxListLimit, maxListLimit),
    before: createParameterSchema<ListKey>(
      (text) => cursor.decode(text),
      "Send one `next`, exactly as the previous page returned it, or omit the parameter to get the first page.",
    ),
  });
