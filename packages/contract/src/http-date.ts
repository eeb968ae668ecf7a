/**
 * Parses an HTTP date in any of its three forms.
 *
 * @returns Unix milliseconds; undefined if the string is not an HTTP date
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
 */
export function parseHttpDate(text: string): number | undefined {
  const isAsctime = asctimePattern.test(text);
  // Date.parse accepts many other strings. An HTTP date ends in GMT, or has the form of asctime, which is also in UTC.
  if (!isAsctime && !text.endsWith(" GMT")) return undefined;
  const time = Date.parse(isAsctime ? `${text} GMT` : text);
  return Number.isNaN(time) ? undefined : time;
}

/** Matches a date such as `Sun Nov  6 08:49:37 1994`. */
const asctimePattern = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
