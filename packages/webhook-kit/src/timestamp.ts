/** The time that a header names, in milliseconds since 1970: one instant, or with minute precision a whole minute. */
export interface SignedTime {
  readonly earliest: number;
  /** The last millisecond that still belongs to it. */
  readonly latest: number;
}

const shape = /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,9}))?)?(?:Z|\+00:00)$/;

/** ISO 8601 in UTC, minutes to nanoseconds, of a day that the calendar has; anything else is undefined (D-16). */
export function parseTimestamp(text: string): SignedTime | undefined {
  const match = shape.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction] = match;
  const date = new Date(0);
  // Not Date.UTC: it reads the years 0 to 99 as 1900 to 1999.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  // A day that the calendar does not have rolls over into the next month.
  if (date.getUTCMonth() !== Number(month) - 1 || date.getUTCDate() !== Number(day)) return undefined;
  date.setUTCHours(Number(hour), Number(minute), Number(second ?? 0));
  const earliest = date.getTime() + (fraction === undefined ? 0 : Number(`0.${fraction}`) * 1000);
  return { earliest, latest: second === undefined ? earliest + 59_999 : earliest };
}
