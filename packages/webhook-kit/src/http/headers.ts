/** Stands for a header that was sent more than once (D-16): which of the two a proxy believed cannot be known. */
export const duplicated: unique symbol = Symbol("duplicated header");

/**
 * One header's value out of Node's `rawHeaders`: name, value, name, value. Node's own `headers` keeps only the first of
 * two `Authorization` headers, and so would hide the second.
 */
export function findHeader(
  rawHeaders: readonly string[],
  lowerCaseName: string,
): string | undefined | typeof duplicated {
  let found: string | undefined;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index];
    if (name?.length !== lowerCaseName.length || name.toLowerCase() !== lowerCaseName) continue;
    if (found !== undefined) return duplicated;
    found = rawHeaders[index + 1];
  }
  return found;
}
