/** The letter pairs of a name, without case and separators, so that `base_url` equals `baseUrl`. */
function pairsOf(name: string): string[] {
  const plain = name.toLowerCase().replace(/[^a-z]/g, "");
  return [...plain].map((_letter, index) => plain.slice(index, index + 2));
}

/** The most similar of `names` by the Dice coefficient of letter pairs; undefined if none is similar. */
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
