/** A name's pairs of letters, without case and separators, so that `base_url` is `baseUrl`. */
function pairsOf(name: string): string[] {
  const plain = name.toLowerCase().replace(/[^a-z]/g, "");
  return [...plain].map((_letter, index) => plain.slice(index, index + 2));
}

/** The one of `names` that a misspelt name most likely stands for, by the pairs that both have (Dice); undefined if none. */
export function closestName(wrong: string, names: readonly string[]): string | undefined {
  const given = pairsOf(wrong);
  let most = 0.4;
  let right: string | undefined;
  for (const name of names) {
    const known = pairsOf(name);
    const likeness = (2 * known.filter((pair) => given.includes(pair)).length) / (known.length + given.length);
    if (likeness > most) [most, right] = [likeness, name];
  }
  return right;
}
