/** Any origin will do: what passes below names none. */
const base = "http://localhost";

/**
 * Text from outside as a path of ours; undefined when it is anything else (D-86). It passes as it is or not at all: what needs
 * resolving, decoding or repair first (`//host`, `\`, `/..//host`, a tab, another scheme, a fragment) may lead elsewhere when it
 * is read once more. So to read it again changes nothing.
 */
export function ownPath(text: string): string | undefined {
  const url = URL.parse(text, base);
  return url?.origin === base && url.pathname + url.search === text ? text : undefined;
}
