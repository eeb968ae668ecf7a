/** The time that a header names, in milliseconds since 1970: one instant, or with minute precision a whole minute. */
export interface SignedTime {
  readonly earliest: number;
  /** The last millisecond that still belongs to it. */
  readonly latest: number;
}

const shape =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|\+00:00)$/;

/** ISO 8601 in UTC, minutes to nanoseconds, of a day that the calendar has; anything else is undefined (D-16). */
export function parseTimestamp(text: string): SignedTime | undefined {
  const match = shape.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second = "0", fraction = "0"] = match;
  const monthStart = startOf(Number(year), Number(month));
  const midnight = monthStart + (Number(day) - 1) * dayMs;
  if (midnight >= startOf(Number(year), Number(month) + 1)) return undefined;
  const earliest =
    midnight +
    Number(hour) * 3_600_000 +
    Number(minute) * 60_000 +
    Number(second) * 1000 +
    Number(`0.${fraction}`) * 1000;
  return { earliest, latest: match[6] === undefined ? earliest + 59_999 : earliest };
}

const dayMs = 86_400_000;

/** The calendar repeats after 400 years; `Date.UTC` takes the years 0 to 99 for 1900 to 1999, but not these. */
const startOf = (year: number, month: number): number => Date.UTC(year + 400, month - 1) - 146_097 * dayMs;
