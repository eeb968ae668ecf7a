import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { ListKey } from "./list-cursor.ts";

type TimedColumn = "offers.created_at" | "invitations.created_at" | "notifications.created_at";

/** A moment as the position in a list: JavaScript's dates have no microseconds. */
export const microsecondsOf = (column: TimedColumn): RawBuilder<number> =>
  sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`;

/** Those rows that come after the one with this key, newest first; all rows without one. */
export const olderThan = (
  [column, idColumn]: readonly [TimedColumn, string],
  key: ListKey | undefined,
): RawBuilder<SqlBool> =>
  key === undefined
    ? sql`true`
    : sql`(${sql.ref(column)}, ${sql.ref(idColumn)}) < (
        timestamptz 'epoch' + ${key.position}::float8 * interval '1 microsecond', ${key.id})`;
