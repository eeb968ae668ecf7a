import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { ListKey } from "./list-cursor.ts";

type TimedColumn = "offers.created_at" | "offers.work_from" | "invitations.created_at" | "notifications.created_at";

/** Stands for `infinity`, which is when the work of an offer without a date starts. */
export const infinitePosition = Number.MAX_SAFE_INTEGER;

/** Converts a time to a position in a list. A Date would lose the microseconds. */
export const microsecondsOf = (column: TimedColumn): RawBuilder<number> =>
  sql`case when isfinite(${sql.ref(column)}) then (extract(epoch from ${sql.ref(column)}) * 1000000)::bigint
    else ${sql.lit(infinitePosition)}::bigint end`;

/** Selects rows after the given key, newest first; all rows without a key. */
export const olderThan = (columns: SortColumns, key: ListKey | undefined): RawBuilder<SqlBool> =>
  compare(columns, sql`<`, key);

/** Selects rows after the given key, oldest first; all rows without a key. */
export const newerThan = (columns: SortColumns, key: ListKey | undefined): RawBuilder<SqlBool> =>
  compare(columns, sql`>`, key);

type SortColumns = readonly [TimedColumn, string];

const compare = ([column, idColumn]: SortColumns, operator: RawBuilder<unknown>, key: ListKey | undefined) =>
  key === undefined
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(${sql.ref(column)}, ${sql.ref(idColumn)}) ${operator} (${timeOf(key)}, ${key.id})`;

const timeOf = ({ position }: ListKey): RawBuilder<Date> =>
  position === infinitePosition
    ? sql`timestamptz 'infinity'`
    : sql`timestamptz 'epoch' + ${position}::float8 * interval '1 microsecond'`;
