import type { ColumnType } from "kysely";

/** Set when the row is inserted, never changed: a fact. */
export type Fact<T> = ColumnType<T, T, never>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;
export type OptionalTimestamp = ColumnType<Date | null, Date | string | null | undefined, Date | string | null>;
/** When the row may be attempted, if it is the first of its order; null when it has settled or waits for another row. */
export type DueAt = OptionalTimestamp;
export type OptionalText = ColumnType<string | null, string | null | undefined, string | null>;
export type CreatedAt = ColumnType<Date, Date | string | undefined, never>;
