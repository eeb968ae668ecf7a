import { findUnmetLimit, toUtc as normalise } from "@offers/contract/date-time";
import { throwUsageError } from "../errors/usage.ts";

/** Converts a time to the same instant in UTC, with every digit of its fraction (D-33). `field` and `index` are for the error message. */
export function toUtc(time: Date | string, field: "start" | "end", index: number): string {
  const text = `${time instanceof Date ? time.toJSON() : time}`;
  const utc = normalise(text);
  if (utc === undefined) {
    const limit = findUnmetLimit(text);
    const requirement = limit === undefined ? "be a Date or a time with an offset (+02:00)" : `have ${limit}`;
    throwUsageError(`events[${index}].${field} must ${requirement}`, "invalid_time");
  }
  return utc.replace("+00:00", "Z");
}
