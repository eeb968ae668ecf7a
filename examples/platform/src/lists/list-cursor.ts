import { z } from "zod";
import { textRemedy } from "../validation/text-problem.ts";

/** What the rows of a list are ordered by, of one of them: enough to go on after it, also when it is gone. */
export interface ListKey {
  /** Microseconds since 1970, or an ascending number of the row's own. */
  position: number;
  /** Settles the order of rows at one position; empty where none share one. */
  id: string;
}

/** A part of a list (D-92). */
export interface ListPart {
  /** The row after which it begins; without one it begins with the newest. */
  before?: ListKey | undefined;
  limit: number;
}

/** Rows of one part, and where the next one begins; null after the last. */
export interface Listed<Row> {
  rows: Row[];
  next: string | null;
}

/** How the rows of one list are named in its cursors: keyset pagination, so that rows added meanwhile move nothing. */
export interface ListCursor {
  /** Of the part after the row with this key. */
  write(key: ListKey): string;
  /** Undefined for what no `write` of this list made. */
  read(cursor: string): ListKey | undefined;
  /** Cuts off the row beyond the part, which only tells that there are more. */
  cut<Row>(rows: readonly Row[], limit: number, keyOf: (row: Row) => ListKey): Listed<Row>;
}

/**
 * @param list its name: a cursor of one list is none of another
 * @param hasId what an `id` of the list looks like
 */
export function listCursor(list: string, hasId: RegExp): ListCursor {
  const schema = z.tuple([
    z.literal(list),
    z.number().int().min(0),
    z
      .string()
      .max(500)
      .regex(hasId)
      .refine((id) => textRemedy(id) === undefined),
  ]);
  const write = ({ position, id }: ListKey): string =>
    Buffer.from(JSON.stringify([list, position, id])).toString("base64url");
  return {
    write,
    read(cursor) {
      const parsed = schema.safeParse(parse(Buffer.from(cursor, "base64url").toString()));
      if (!parsed.success) return undefined;
      const [, position, id] = parsed.data;
      // Decoding base64 passes over what is not base64.
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
