const base = "http://localhost";

/**
 * Returns `text` if it is a normalised path on this site, to prevent open redirects (D-86). Returns undefined for a string that URL parsing
 * would change (`//host`, `\`, `/..//host`, a tab, a scheme, a fragment), because a different parser may interpret it differently.
 */
export function ownPath(text: string): string | undefined {
  const url = URL.parse(text, base);
  return url?.origin === base && url.pathname + url.search === text ? text : undefined;
}
