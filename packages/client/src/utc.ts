import { UsageError } from "./errors/usage-error.ts";

const iso = /^(\d{4}-\d\d-(\d\d))T(?:[01]\d|2[0-3]):\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/;

/** The same moment in UTC. A UTC string goes out to the letter (D-33); `field` is what the message names. */
export function toUtc(time: Date | string, field: string): string {
  if (time instanceof Date) {
    if (Number.isFinite(time.getTime())) return time.toISOString();
  } else {
    const [, date = "", day, seconds, , zone] = iso.exec(time) ?? [];
    // Date rolls 30 February over into March; the day of the month tells.
    if (new Date(date).getUTCDate() === Number(day) && Number.isFinite(Date.parse(time)))
      return seconds && zone === "Z" ? time : new Date(time).toISOString();
  }
  throw new UsageError(
    "invalid_time",
    `${field} must be a valid Date, or an ISO 8601 date-time with its zone such as 2099-05-01T18:00:00+02:00`,
  );
}
