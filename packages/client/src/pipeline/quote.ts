/** Of words that somebody else wrote, what a message may hold: one line, no more than `most` characters, no address. */
export function quote(text: string, most: number, sent: readonly string[] = []): string {
  let plain = text;
  // The longest first: one text may be part of another.
  for (const value of [...sent].sort((one, other) => other.length - one.length))
    plain = plain.replaceAll(value, "[sent]");
  plain = plain
    .replace(/[^\s@"'<>]+@[^\s@"'<>]+/g, "[address]")
    .replace(/[\p{C}\s]+/gu, " ")
    .trim();
  return plain.length > most ? `${plain.slice(0, most).trim()}…` : plain;
}

/** Every text in a JSON body that is long enough to be somebody's, and the id of the path. */
export function textsOf(body: string | null, id: unknown): string[] {
  const texts = typeof id === "string" ? [id] : [];
  JSON.parse(body ?? "null", (_name, value) => {
    if (typeof value === "string") texts.push(value);
    return value;
  });
  return texts.filter((text) => text.length > 2);
}
