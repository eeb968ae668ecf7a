import { dateTimeRange, toUtc as normalise } from "@offers/contract/date-time";
import { throwUsageError, typeName } from "../errors/usage.ts";

/** Converts a time to the same instant in UTC, with every digit of its fraction (D-33). `field` and `index` are for the error message. */
export function toUtc(time: Date | string, field: "start" | "end", index: number): string {
  const text = `${typeName(time) === "Date" ? (time as Date).toJSON() : time}`;
  const utc = normalise(text);
  if (utc === undefined)
    throwUsageError(
      `events[${index}].${field} must be a Date or a time with an offset (+02:00), with ${dateTimeRange}`,
      "invalid_time",
    );
  return utc.replace("+00:00", "Z");
}
