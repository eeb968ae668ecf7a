/**
 * Parses an HTTP date in any of its three forms.
 *
 * @returns Unix milliseconds; undefined if the string is not an HTTP date
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-5.6.7
 */
export function parseHttpDate(text: string): number | undefined {
  // Date.parse accepts many other strings. An HTTP date ends in GMT, or has the form of asctime, which is also in UTC.
  const time = httpDatePattern.test(text) ? Date.parse(text.replace(/( GMT)?$/, " GMT")) : NaN;
  return Number.isNaN(time) ? undefined : time;
}

/** Matches a date that ends in GMT, or a date such as `Sun Nov  6 08:49:37 1994`. */
const httpDatePattern = / GMT$|^\w{3} \w{3} [ \d]\d [\d:]{8} \d{4}$/;
