const base = "http://localhost";
/** A sign-in form contains the path, percent-encoded to up to three bytes a character, and has 16 KiB for all its fields. */
const maxLength = 3_000;

/**
 * Returns `text` if it is a normalised path on this site, to prevent open redirects (D-86). Returns undefined for a string that URL parsing
 * would change (`//host`, `\`, `/..//host`, a tab, a scheme, a fragment), because a different parser may interpret it differently. Also
 * returns undefined for a path that does not fit into a sign-in form.
 */
export function ownPath(text: string): string | undefined {
  if (text.length > maxLength) return undefined;
  const url = URL.parse(text, base);
  return url?.origin === base && url.pathname + url.search === text ? text : undefined;
}
