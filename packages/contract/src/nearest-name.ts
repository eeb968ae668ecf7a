/**
 * Finds the name that shares the most pairs of adjacent letters with a misspelt name (Dice coefficient). Returns undefined if no name is
 * similar enough. Swapping two letters changes most pairs of a short name, so a name with the same letters counts as the nearest.
 */
export function findNearestName(misspelt: string, names: readonly string[]): string | undefined {
  const misspeltPairs = toPairs(misspelt);
  let nearest: string | undefined;
  let maxSimilarity = minSimilarity;
  for (const name of names) {
    if (sortLetters(name) === sortLetters(misspelt)) return name;
    const namePairs = toPairs(name);
    const sharedPairs = namePairs.filter((pair) => misspeltPairs.includes(pair));
    const similarity = (2 * sharedPairs.length) / (namePairs.length + misspeltPairs.length);
    if (similarity > maxSimilarity) {
      nearest = name;
      maxSimilarity = similarity;
    }
  }
  return nearest;
}

const minSimilarity = 0.45;

/** Returns each pair of adjacent letters, and the last letter alone. */
const toPairs = (name: string): string[] =>
  [...name.toLowerCase()].map((_letter, index) => name.toLowerCase().slice(index, index + 2));

const sortLetters = (name: string): string => [...name.toLowerCase()].sort().join("");
