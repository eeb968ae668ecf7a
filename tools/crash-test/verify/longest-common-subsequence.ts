/** The length of the longest sequence that both contain in this order, whatever stands between. */
export function longestCommonSubsequence(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const word of a) {
    const next = [0];
    for (const [index, other] of b.entries())
      next.push(word === other ? at(row, index) + 1 : Math.max(at(row, index + 1), at(next, index)));
    row = next;
  }
  return row.at(-1) ?? 0;
}

const at = (row: readonly number[], index: number): number => row[index] ?? 0;
