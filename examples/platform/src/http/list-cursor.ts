import { z } from "zod";
import { textProblem } from "./fields.ts";

/** The sort key of a row; a list continues after it even when the row was deleted. */
export interface ListKey {
  /** Microseconds since 1970, or the row's sequence number. */
  position: number;
  /** Orders rows with the same position; empty where positions are unique. */
  id: string;
}

/** Which page of a list is requested (D-92). */
export interface ListPage {
  /** The page starts after this row. @default the newest row */
  before?: ListKey | undefined;
  limit: number;
}

/** The rows of a page, and the pagination cursor of the next page; null after the last. */
export interface Listed<Row> {
  rows: Row[];
  next: string | null;
}

/** A list, newest first, as JSON routes and pages read it. */
export interface PagedList<Deps, User, Row, Query = ListPage> {
  cursor: ListCursor;
  read(deps: Deps, user: User, query: Query): Promise<Listed<Row>>;
}

/** Cursors of one list: keyset pagination, so that new rows do not shift pages. */
export interface ListCursor {
  /** The name of the list. */
  name: string;
  /** The cursor of the page after the row with this key. */
  write(key: ListKey): string;
  /** Undefined for a cursor that `write` of this list did not make. */
  read(cursor: string): ListKey | undefined;
  /** Removes the extra row, which only shows that there is a next page. */
  cut<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => ListKey): Listed<Row>;
}

/**
 * @param name of the list: a cursor of another list is rejected
 * @param hasId matches ids of the list
 */
export function listCursor(name: string, hasId: RegExp): ListCursor {
  const schema = z.tuple([
    z.literal(name),
    z.number().int().min(0),
    z
      .string()
      .max(500)
      .regex(hasId)
      .refine((id) => textProblem(id) === undefined),
  ]);
  const write = ({ position, id }: ListKey): string =>
    Buffer.from(JSON.stringify([name, position, id])).toString("base64url");
  return {
    name,
    write,
    read(cursor) {
      const parsed = schema.safeParse(parse(Buffer.from(cursor, "base64url").toString()));
      if (!parsed.success) return undefined;
      const [, position, id] = parsed.data;
      // Buffer ignores characters that are not base64.
      return write({ position, id }) === cursor ? { position, id } : undefined;
    },
    cut: (rows, limit, keyOf) => {
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return { rows: shown, next: last === undefined ? null : write(keyOf(last)) };
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The largest page of a list, and the default (D-92). */
const maxListLimit = 100;

/** An optional query parameter. One that is given twice is an array, and invalid. */
export const parameter = <T>(read: (text: string) => T | undefined, remedy: string) =>
  z
    .unknown()
    .optional()
    .transform((given, context) => {
      if (given === undefined) return undefined;
      const value = typeof given === "string" ? read(given) : undefined;
      if (value === undefined) context.addIssue({ code: "custom", message: remedy });
      return value;
    });

/** The maximum number of rows in a page, from 1 to `most`. */
export const limitParameter = (most: number, byDefault: number) =>
  parameter(
    (text) => (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= most ? Number(text) : undefined),
    `Write a whole number from 1 to ${most}, once.`,
  ).transform((given) => given ?? byDefault);

/** The query parameters of a list. Extend it for a list with more. */
export const listSchema = (cursor: ListCursor) =>
  z.strictObject({
    limit: limitParameter(maxListLimit, maxListLimit),
    before: parameter<ListKey>(
      (text) => cursor.read(text),
      "Use `next` of the previous page unchanged and once, or omit it to begin with the newest.",
    ),
  });
