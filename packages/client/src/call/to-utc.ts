import { refuse } from "../errors/failure.ts";

/** What follows the minutes of a date-time with its zone, of RFC 3339 or without seconds (D-96). */
const afterMinutes = /^.{16}(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The same instant in UTC. A string with seconds and `Z` is unchanged (D-33). `field` and `index` are for the message. */
export function toUtc(time: Date | string, field: "start" | "end", index: number): string {
  const text = `${time instanceof Date ? time.toJSON() : time}`.toUpperCase().replace(" ", "T");
  const minutes = text.slice(0, 16);
  const instant: string | null = new Date(text).toJSON();
  // Date makes 2 March of 30 February, and midnight of 24:00: a time that exists is read as it was written.
  if (afterMinutes.test(text) && instant && new Date(`${minutes}Z`).toJSON()?.startsWith(minutes))
    // A time in UTC without seconds (16:00Z) is written with them.
    return text.length > 17 && text.endsWith("Z") ? text : instant;
  return refuse("invalid_time", `events[${index}].${field} must be a Date or a time with its zone, such as +02:00`);
}
