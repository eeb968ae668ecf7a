const base = "http://localhost";

/**
 * Prevents open redirects: returns `text` if it is a normalised path on this site, otherwise undefined (D-86). A string that URL parsing
 * would change (`//host`, `\`, `/..//host`, a tab, a scheme, a fragment) is rejected, since another parser may interpret it
 * differently.
 */
export function ownPath(text: string): string | undefined {
  const url = URL.parse(text, base);
  return url?.origin === base && url.pathname + url.search === text ? text : undefined;
}
