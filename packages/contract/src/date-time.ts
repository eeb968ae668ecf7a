/** The instants that a date-time can mean, in milliseconds since 1970: one, or a whole minute if it has no seconds. */
export interface ParsedDateTime {
  readonly earliest: number;
  readonly latest: number;
}

/**
 * An ISO 8601 date-time with a zone: any date-time of RFC 3339 (section 5.6, whose notes allow lower case, and a space for the T), or one
 * without seconds, such as 2018-11-26T10:55Z, which RFC 3339 does not allow.
 */
const dateTimeShape =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d+)?)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** Computed 400 years later, when the calendar repeats, because `Date.UTC` reads the years 0 to 99 as 1900 to 1999. */
const startOfMonth = (year: number, month: number): number => Date.UTC(year + 400, month - 1) - 146_097 * dayMs;

const firstInstant = startOfMonth(0, 1);
const endOfTime = startOfMonth(10_000, 1);

/**
 * Parses an unambiguous date-time: it has a zone, its day exists, and its year in UTC has four digits (D-96). Returns undefined for any
 * other string.
 */
export function parseDateTime(text: string): ParsedDateTime | undefined {
  const match = dateTimeShape.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = match;
  const midnight = startOfMonth(Number(year), Number(month)) + (Number(day) - 1) * dayMs;
  if (midnight >= startOfMonth(Number(year), Number(month) + 1)) return undefined;
  const utcOffsetMinutes = (sign === "-" ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const startOfMinute = midnight + (Number(hour) * 60 + Number(minute) - utcOffsetMinutes) * minuteMs;
  if (startOfMinute < firstInstant || startOfMinute >= endOfTime) return undefined;
  const earliest = startOfMinute + (Number(second ?? 0) + Number(`0${fraction}`)) * 1000;
  return { earliest, latest: second === undefined ? startOfMinute + minuteMs - 1 : earliest };
}

/** Returns a date-time unchanged if every reader accepts its notation, otherwise in UTC. */
export const toPlainForm = (text: string): string | undefined =>
  normalise(text, /^[^t ]{19}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/);

/** Converts a date-time to UTC; one that already ends in `Z` or `+00:00` is unchanged. */
export const toUtc = (text: string): string | undefined => normalise(text, /^[^t ]{19}(?:\.\d+)?(?:Z|\+00:00)$/);

/** Returns the string itself if it matches `form`; otherwise the same instant in UTC, with every digit of its fraction. */
function normalise(text: string, form: RegExp): string | undefined {
  const time = parseDateTime(text);
  if (!time || form.test(text)) return time && text;
  const [fraction = ""] = /\.\d+/.exec(text) ?? [];
  // Parsed without its fraction: as a number, it could round up to the next second.
  const { earliest } = parseDateTime(text.replace(fraction, "")) ?? time;
  return `${new Date(earliest).toISOString().slice(0, 19)}${fraction}Z`;
}
