/** Without case and separators, so that `base_url` is near `baseUrl`. */
const plain = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, "");

/** The one of `names` that a misspelt name most likely stands for; undefined when none is near. */
export function nearest(wrong: string, names: readonly string[]): string | undefined {
  const given = plain(wrong);
  const distances = names.map((name): [string, number] => {
    const known = plain(name);
    const isPart = given.length > 2 && (known.includes(given) || given.includes(known));
    // Part of a name is nearer the less is missing, and always nearer than another word.
    return [name, isPart ? Math.abs(known.length - given.length) / 100 : distance(given, known)];
  });
  const [name, least] = distances.reduce((best, other) => (other[1] < best[1] ? other : best));
  return least <= Math.max(1, given.length / 3) ? name : undefined;
}

/** How many letters to insert, remove or replace (Levenshtein). */
function distance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i++) {
    const next = [i + 1];
    for (let j = 0; j < to.length; j++)
      next.push(Math.min((row[j] ?? 0) + Number(from[i] !== to[j]), (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    row = next;
  }
  return row[to.length] ?? 0;
}
