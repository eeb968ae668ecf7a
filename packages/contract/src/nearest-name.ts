/**
 * Finds the name that shares the most pairs of letters with the given one (Dice coefficient); returns undefined if none is near. Swapping
 * two letters changes most pairs of a short name, so a name with the same letters counts as the nearest.
 */
export function nearestName(wrong: string, names: readonly string[]): string | undefined {
  const wrongPairs = toPairs(wrong);
  let [nearest, maxLikeness]: [string | undefined, number] = [undefined, 0.45];
  for (const name of names) {
    if (sortLetters(name) === sortLetters(wrong)) return name;
    const namePairs = toPairs(name);
    const likeness =
      (2 * namePairs.filter((pair) => wrongPairs.includes(pair)).length) / (namePairs.length + wrongPairs.length);
    if (likeness > maxLikeness) [nearest, maxLikeness] = [name, likeness];
  }
  return nearest;
}

const toPairs = (name: string): string[] =>
  [...name.toLowerCase()].map((_letter, index) => name.toLowerCase().slice(index, index + 2));

const sortLetters = (name: string): string => [...name.toLowerCase()].sort().join("");
