import { misuse } from "../errors/failure.ts";

/** A date-time with its zone, of RFC 3339 or without seconds (D-96). The pattern checks all but the length of the month, alike in every runtime. */
const iso =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;

/** The same instant in UTC. A string with seconds and `Z` is unchanged (D-33). `field` and `index` are for the message. */
export function toUtc(time: Date | string, field: "start" | "end", index: number): string {
  const text = `${time instanceof Date ? time.toJSON() : time}`.toUpperCase().replace(" ", "T");
  if (iso.test(text)) {
    const day = Number(text.slice(8, 10));
    // Date turns 30 February into 1 or 2 March, which changes the day of the month.
    if (day < 29 || new Date(text.slice(0, 10)).getUTCDate() === day)
      // A time in UTC without seconds (16:00Z) is written with them.
      return text.length > 17 && text.endsWith("Z") ? text : new Date(text).toISOString();
  }
  throw misuse(
    "invalid_time",
    `events[${index}].${field} must be a Date, or a time with its zone: 2099-05-01T18:00:00+02:00`,
  );
}
