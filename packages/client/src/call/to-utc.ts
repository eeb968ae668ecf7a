import { parseDateTime } from "@offers/contract/date-time";
import { throwUsageError } from "../errors/usage.ts";

/**
 * Converts a time to the same instant in UTC. A string with seconds and `Z` keeps its precision (D-33). `field` and `index` are for the
 * error message.
 */
export function toUtc(time: Date | string, field: "start" | "end", index: number): string {
  const text = `${time instanceof Date ? time.toJSON() : time}`;
  const instant = parseDateTime(text);
  if (!instant)
    throwUsageError(`events[${index}].${field} must be a Date or a time with an offset (+02:00)`, "invalid_time");
  // A time without seconds, such as 2099-05-01T16:00Z, has 17 characters.
  return text.length > 17 && /z$/i.test(text)
    ? text.toUpperCase().replace(" ", "T")
    : new Date(instant.earliest).toJSON();
}
