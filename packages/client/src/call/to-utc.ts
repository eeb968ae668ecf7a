import { refuse } from "../errors/failure.ts";

/** A date-time with its zone, of RFC 3339 or without seconds (D-96). Whether the month has the day is not in the pattern. */
const dateTime =
  /^\d{4}-(?!00|1[3-9])[01]\d-((?!00)\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(:[0-5]\d(?:\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The same instant in UTC. A string with seconds and `Z` is unchanged (D-33). `field` and `index` are for the message. */
export function toUtc(time: Date | string, field: "start" | "end", index: number): string {
  const text = `${time instanceof Date ? time.toJSON() : time}`.toUpperCase().replace(" ", "T");
  const [, day = "?", seconds, zone] = dateTime.exec(text) ?? [];
  // No day, "?", is after every digit. Date makes 2 March of 30 February. Every month has 28 days: to ask a Date only after the 28th is five times as fast.
  const isDay = day < "29" || new Date(text.slice(0, 10)).getUTCDate() === Number(day);
  // A time in UTC without seconds (16:00Z) is written with them. The JSON of a zone that does not exist, +25:00, is null.
  const utc = seconds && zone === "Z" ? text : new Date(text).toJSON();
  // At either end of the calendar the zone leads to a year with a sign, -000001, which RFC 3339 lacks; signs sort before digits.
  if (isDay && utc > "0") return utc;
  return refuse(`events[${index}].${field} must be a Date or a time with a zone (+02:00)`, "invalid_time");
}
