import type { ColumnType } from "kysely";

/** A column that is set when the row is inserted and never changes. */
export type Immutable<T> = ColumnType<T, T, never>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;
export type OptionalTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
/** When the row may be attempted. Null if it has been settled, or is waiting for an earlier row with the same order key. */
export type DueAt = OptionalTimestamp;
export type OptionalText = ColumnType<string | null, string | null | undefined, string | null>;
export type CreatedAt = ColumnType<Date, Date | string | undefined, never>;
