/**
 * Parses an HTTP date in any of its three forms.
 *
 * @returns Unix milliseconds; undefined if the string is not an HTTP date
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
 */
export function readHttpDate(text: string): number | undefined {
  // Date.parse accepts almost anything. An HTTP date ends in GMT, or has the form of asctime, which is in UTC too.
  const time = Date.parse(asctime.test(text) ? `${text} GMT` : text.endsWith(" GMT") ? text : "");
  return Number.isNaN(time) ? undefined : time;
}

/** `Sun Nov  6 08:49:37 1994` */
const asctime = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
