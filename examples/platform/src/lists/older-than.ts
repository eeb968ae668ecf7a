import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { ListKey } from "./list-cursor.ts";

type TimedColumn = "offers.created_at" | "invitations.created_at" | "notifications.created_at";

/** A time as a position in a list. Not as a Date, which has no microseconds. */
export const microsecondsOf = (column: TimedColumn): RawBuilder<number> =>
  sql`(extract(epoch from ${sql.ref(column)}) * 1000000)::bigint`;

/** Selects rows after the given key, newest first; all rows without a key. */
export const olderThan = (
  [column, idColumn]: readonly [TimedColumn, string],
  key: ListKey | undefined,
): RawBuilder<SqlBool> =>
  key === undefined
    ? sql`true`
    : sql`(${sql.ref(column)}, ${sql.ref(idColumn)}) < (
        timestamptz 'epoch' + ${key.position}::float8 * interval '1 microsecond', ${key.id})`;
