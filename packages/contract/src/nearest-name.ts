/**
 * Finds the name that shares the most pairs of adjacent letters with a misspelt name (Dice coefficient). Returns undefined if no name is
 * similar enough. Swapping two letters changes most pairs of a short name, so a name with the same letters counts as the nearest.
 */
export function findNearestName(misspelt: string, names: readonly string[]): string | undefined {
  let nearest: string | undefined;
  let maxSimilarity = minSimilarity;
  for (const name of names) {
    const similarity = similarityOf(toPairs(name), toPairs(misspelt));
    if (similarity > maxSimilarity) {
      nearest = name;
      maxSimilarity = similarity;
    }
  }
  return nearest;
}

const minSimilarity = 0.45;

function similarityOf(a: readonly string[], b: readonly string[]): number {
  if (sortLetters(a) === sortLetters(b)) return 1;
  return (2 * a.filter((pair) => b.includes(pair)).length) / (a.length + b.length);
}

/** Returns each pair of adjacent letters, and the last letter alone. */
const toPairs = (name: string): string[] =>
  [...name.toLowerCase()].map((letter, index, letters) => letter + (letters[index + 1] ?? ""));

const sortLetters = (pairs: readonly string[]): string => `${pairs.map(([letter]) => letter).sort()}`;
