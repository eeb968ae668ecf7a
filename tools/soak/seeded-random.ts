/**
 * A repeatable random number from 0 to below 1, the same for the same arguments in every process.
 * (MurmurHash3's finaliser over each number in turn.)
 */
export function seededRandom(...numbers: readonly number[]): number {
  let hash = 0x9e3779b9;
  for (const number of numbers) {
    hash = Math.imul(hash ^ number, 0x85ebca6b);
    hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    hash ^= hash >>> 16;
  }
  return (hash >>> 0) / 2 ** 32;
}
