/** Of words that somebody else wrote, what a message may hold: one line, no more than `most` characters, no address. */
export function quote(text: string, most: number): string {
  const plain = text
    .replace(/[^\s@"'<>]+@[^\s@"'<>]+/g, "[address]")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  return plain.length > most ? `${plain.slice(0, most).trim()}…` : plain;
}

/** A text without what was sent, the longest first: one may be part of another. */
export const hide = (sent: readonly string[], text: string): string =>
  [...sent]
    .sort((one, other) => other.length - one.length)
    .reduce((hidden, value) => hidden.replaceAll(value, "[sent]"), text);

/** Every text in a JSON body that is long enough to be somebody's, and the id of the path. */
export function textsOf(body: string | null, id: unknown): string[] {
  const values = [id];
  JSON.parse(body ?? "null", (_name, value) => {
    values.push(value);
    return value;
  });
  return values.filter((value) => typeof value === "string").filter((text) => text.length > 2);
}
