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

/** The values that every date-time must have (D-96), for error messages: a leap second has no place in Unix time. */
export const dateTimeRange = "seconds up to 59 and a year from 0000 to 9999 in UTC";

interface Notation {
  /** In Unix milliseconds. */
  readonly startOfMinute: number;
  /** Undefined if the string has no seconds. */
  readonly second: string | undefined;
  /** The fraction of a second as it is written, such as `.50`, or empty. */
  readonly fraction: string;
}

function parse(text: string): Notation | undefined {
  const match = dateTimePattern.exec(text);
  if (!match) return undefined;
  const [, year, month, day, hour, minute, second, fraction = "", sign, offsetHours = "0", offsetMinutes = "0"] = match;
  const midnight = startOfMonth(Number(year), Number(month)) + (Number(day) - 1) * dayMs;
  if (midnight >= startOfMonth(Number(year), Number(month) + 1)) return undefined;
  const utcOffsetMinutes = (sign === "-" ? -1 : 1) * (Number(offsetHours) * 60 + Number(offsetMinutes));
  const startOfMinute = midnight + (Number(hour) * 60 + Number(minute) - utcOffsetMinutes) * minuteMs;
  if (startOfMinute < startOfYear0 || startOfMinute >= startOfYear10000) return undefined;
  return { startOfMinute, second, fraction };
}

/**
 * Parses an unambiguous date-time: it has a zone, its day exists, and its year in UTC has four digits (D-96). Returns undefined for any
 * other string.
 */
export function parseDateTime(text: string): ParsedDateTime | undefined {
  const notation = parse(text);
  if (!notation) return undefined;
  const { startOfMinute, second, fraction } = notation;
  const earliest = startOfMinute + (Number(second ?? 0) + Number(`0${fraction}`)) * 1000;
  return { earliest, latest: second === undefined ? startOfMinute + minuteMs - 1 : earliest };
}

/**
 * Compares two instants, by every digit of their fractions. A comparison in milliseconds ignores the digits after the third. Returns NaN if
 * either string is not a date-time.
 */
export function compareDateTimes(a: string, b: string): number {
  const [keyA, keyB] = [toSortKey(a), toSortKey(b)];
  if (keyA === undefined || keyB === undefined) return Number.NaN;
  if (keyA === keyB) return 0;
  return keyA < keyB ? -1 : 1;
}

/** Returns a string that sorts like the instant: in UTC, without the zeros at the end of the fraction. */
function toSortKey(text: string): string | undefined {
  const notation = parse(text);
  return notation && formatSeconds(notation) + notation.fraction.replace(/\.?0+$/, "");
}

/** Formats a date-time in UTC, up to its seconds. */
const formatSeconds = ({ startOfMinute, second = "0" }: Notation): string =>
  new Date(startOfMinute + Number(second) * 1000).toISOString().slice(0, 19);

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
  const notation = parse(text);
  if (!notation || acceptedForm.test(text)) return notation && text;
  return `${formatSeconds(notation)}${notation.fraction}Z`;
}
