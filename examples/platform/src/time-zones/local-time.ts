import { Temporal } from "temporal-polyfill";

/** Returns the instants of a local time such as `2027-03-28T01:30`: none in an hour that a clock change skips, two in a repeated hour. */
export function instantsOf(local: string, timeZone: string): Date[] {
  const time = plainDateTime(local);
  if (time === undefined) return [];
  const both = (["earlier", "later"] as const).map((disambiguation) =>
    time.toZonedDateTime(timeZone, { disambiguation }),
  );
  // Temporal shifts a skipped time by the length of the change, so it no longer equals the given time.
  const exact = both.filter((zoned) => zoned.toPlainDateTime().equals(time));
  return [...new Set(exact.map(({ epochMilliseconds }) => epochMilliseconds))].map((ms) => new Date(ms));
}

/** Returns when a day such as `2027-03-28` starts and ends in a time zone. Returns undefined for any other string. */
export function dayOf(local: string, timeZone: string): { start: Date; end: Date } | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(local)) return undefined;
  try {
    const day = Temporal.PlainDate.from(local, { overflow: "reject" });
    const [start, end] = [day, day.add({ days: 1 })].map((date) => date.toZonedDateTime(timeZone).epochMilliseconds);
    return start === undefined || end === undefined ? undefined : { start: new Date(start), end: new Date(end) };
  } catch {
    return undefined;
  }
}

/** Whether a string is the value of a `datetime-local` input. */
export const isLocalTime = (text: string): boolean => plainDateTime(text) !== undefined;

/** Returns the value of a `datetime-local` input that shows this instant. */
export const localTimeOf = (instant: Date, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
    .toString({ smallestUnit: "minute" });

function plainDateTime(text: string): Temporal.PlainDateTime | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return undefined;
  try {
    return Temporal.PlainDateTime.from(text, { overflow: "reject" });
  } catch {
    return undefined;
  }
}
