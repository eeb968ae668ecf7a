import { Temporal } from "temporal-polyfill";

/** Returns the instants for a local time such as `2027-03-28T01:30`: none if a clock change skips it, two if one repeats it. */
export function toInstants(local: string, timeZone: string): Date[] {
  const time = parsePlainDateTime(local);
  if (time === undefined) return [];
  const candidates = (["earlier", "later"] as const).map((disambiguation) =>
    time.toZonedDateTime(timeZone, { disambiguation }),
  );
  // Temporal shifts a skipped time by the length of the clock change, so the result no longer equals the local time.
  const exactCandidates = candidates.filter((zoned) => zoned.toPlainDateTime().equals(time));
  const instantsMs = new Set(exactCandidates.map(({ epochMilliseconds }) => epochMilliseconds));
  return [...instantsMs].map((ms) => new Date(ms));
}

/** Returns when a day such as `2027-03-28` starts and ends in a time zone; undefined if the string is not a valid day. */
export function parseDay(local: string, timeZone: string): { start: Date; end: Date } | undefined {
  if (!/^\d{4}-\d\d-\d\d$/.test(local)) return undefined;
  try {
    const day = Temporal.PlainDate.from(local, { overflow: "reject" });
    const toStart = (date: Temporal.PlainDate) => new Date(date.toZonedDateTime(timeZone).epochMilliseconds);
    return { start: toStart(day), end: toStart(day.add({ days: 1 })) };
  } catch {
    return undefined;
  }
}

/** Returns whether a string is a valid value for a `datetime-local` input. */
export const isLocalTime = (text: string): boolean => parsePlainDateTime(text) !== undefined;

/** Returns the value of a `datetime-local` input that shows this instant. */
export const toLocalTime = (instant: Date, timeZone: string): string =>
  Temporal.Instant.fromEpochMilliseconds(instant.getTime())
    .toZonedDateTimeISO(timeZone)
    .toPlainDateTime()
    .toString({ smallestUnit: "minute" });

function parsePlainDateTime(text: string): Temporal.PlainDateTime | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(text)) return undefined;
  try {
    return Temporal.PlainDateTime.from(text, { overflow: "reject" });
  } catch {
    return undefined;
  }
}
