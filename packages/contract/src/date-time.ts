/**
 * The range of instants that a date-time can mean, in milliseconds since 1970: one instant, or a whole minute if it has no seconds.
 */
export interface ParsedDateTime {
  readonly earliest: number;
  readonly latest: number;
}

/**
 * Matches an ISO 8601 date-time with a zone. It accepts every date-time that RFC 3339 allows (section 5.6, including lower case and a space
 * in place of the T). It also accepts a date-time without seconds, such as 2018-11-26T10:55Z, which RFC 3339 does not allow.
 */
const dateTimePattern =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])[Tt ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d)(\.\d+)?)?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/;

const minuteMs = 60_000;
const dayMs = 86_400_000;

/** The calendar repeats after 400 years. */
const cycleYears = 400;
const cycleDays = 146_097;

/**
 * Returns the start of a month in Unix milliseconds. Computes it for the next calendar cycle and subtracts the cycle, because `Date.UTC`
 * reads the years 0 to 99 as 1900 to 1999.
 */
const startOfMonth = (year: number, month: number): number =>
  Date.UTC(year + cycleYears, month - 1) - cycleDays * dayMs;

const startOfYear0 = startOfMonth(0, 1);
const startOfYear10000 = startOfMonth(10_000, 1);

/**
 * Parses an unambiguous date-time: it has a zone, its day exists, and its year in UTC has four digits (D-96). Returns undefined for any
 * other string.
 */
export function parseDateTime(text: string): ParsedDateTime | undefined {
  const match = dateTimePattern.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = match;
  const midnight = startOfMonth(Number(year), Number(month)) + (Number(day) - 1) * dayMs;
  if (midnight >= startOfMonth(Number(year), Number(month) + 1)) return undefined;
  const utcOffsetMinutes = (sign === "-" ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const startOfMinute = midnight + (Number(hour) * 60 + Number(minute) - utcOffsetMinutes) * minuteMs;
  if (startOfMinute < startOfYear0 || startOfMinute >= startOfYear10000) return undefined;
  const earliest = startOfMinute + (Number(second ?? 0) + Number(`0${fraction}`)) * 1000;
  return { earliest, latest: second === undefined ? startOfMinute + minuteMs - 1 : earliest };
}

/**
 * Returns a date-time unchanged if every reader accepts its notation, or converts it to UTC. Returns undefined for a string that is not a
 * date-time.
 */
export const toPlainForm = (text: string): string | undefined =>
  normalise(text, /^[^t ]{19}(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/);

/** Converts a date-time to UTC, unless it has seconds and ends in `Z` or `+00:00`. Returns undefined if it is not a date-time. */
export const toUtc = (text: string): string | undefined => normalise(text, /^[^t ]{19}(?:\.\d+)?(?:Z|\+00:00)$/);

/**
 * Returns a date-time unchanged if it matches `acceptedForm`, or converts it to UTC with every digit of its fraction. Returns undefined for
 * a string that is not a date-time.
 *
 * @param acceptedForm starts with 19 characters: the date, a capital T and the time with seconds
 */
function normalise(text: string, acceptedForm: RegExp): string | undefined {
  const time = parseDateTime(text);
  if (!time) return undefined;
  if (acceptedForm.test(text)) return text;
  const [fraction = ""] = /\.\d+/.exec(text) ?? [];
  // Parse the date-time without its fraction, which could round up to the next second as a number.
  const { earliest } = parseDateTime(text.replace(fraction, "")) ?? time;
  return `${new Date(earliest).toISOString().slice(0, 19)}${fraction}Z`;
}
