import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { ListKey } from "./list-cursor.ts";

type TimedColumn = "offers.created_at" | "offers.work_from" | "invitations.created_at" | "notifications.created_at";

/** The position of an offer without a date, whose work starts at `infinity` in the database. */
export const infinitePosition = Number.MAX_SAFE_INTEGER;

/** Builds a SQL expression for a row's position in a list, in microseconds since the Unix epoch. A `Date` would lose the microseconds. */
export const epochMicroseconds = (column: TimedColumn): RawBuilder<number> =>
  sql`case when isfinite(${sql.ref(column)}) then (extract(epoch from ${sql.ref(column)}) * 1000000)::bigint
    else ${sql.lit(infinitePosition)}::bigint end`;

/** Builds a condition for the rows that follow a key in a newest-first list, or for all rows if there is no key. */
export const olderThan = (columns: SortColumns, key: ListKey | undefined): RawBuilder<SqlBool> =>
  compareWithKey(columns, sql`<`, key);

/** Builds a condition for the rows that follow a key in an oldest-first list, or for all rows if there is no key. */
export const newerThan = (columns: SortColumns, key: ListKey | undefined): RawBuilder<SqlBool> =>
  compareWithKey(columns, sql`>`, key);

type SortColumns = readonly [TimedColumn, string];

const compareWithKey = ([column, idColumn]: SortColumns, operator: RawBuilder<unknown>, key: ListKey | undefined) =>
  key === undefined
    ? sql<SqlBool>`true`
    : sql<SqlBool>`(${sql.ref(column)}, ${sql.ref(idColumn)}) ${operator} (${positionToTime(key)}, ${key.id})`;

const positionToTime = ({ position }: ListKey): RawBuilder<Date> =>
  position === infinitePosition
    ? sql`timestamptz 'infinity'`
    : sql`timestamptz 'epoch' + ${position}::float8 * interval '1 microsecond'`;
