/** Shortens text from the service for a message: one line, at most `most` characters, no email address. */
export function quote(text: string, most: number): string {
  const plain = text
    .replace(/[^\s@"'<>]+@[^\s@"'<>]+/g, "[address]")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  return plain.length > most ? `${plain.slice(0, most).trim()}…` : plain;
}

/** Replaces what was sent, the longest value first: one may be part of another. */
export const hide = (sent: readonly string[], text: string): string =>
  [...sent]
    .sort((one, other) => other.length - one.length)
    .reduce((hidden, value) => hidden.replaceAll(value, "[sent]"), text);

/** Every string of more than two characters in a JSON body, and the id of the path. */
export function textsOf(body: string | null, id: unknown): string[] {
  const values = [id];
  JSON.parse(body ?? "null", (_name, value) => {
    values.push(value);
    return value;
  });
  return values.filter((value) => typeof value === "string").filter((text) => text.length > 2);
}
