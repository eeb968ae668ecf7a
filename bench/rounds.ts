/** One measurement of one contender, in a process that nothing else has been measured in: one figure for each table. */
export type Sample<Contender> = (contender: Contender) => Promise<readonly number[]>;

/**
 * Measures every contender once in each round, the base before and after all the others, these forwards and backwards in turn:
 * what slows the machine down for a while, or more and more, meets them all alike.
 *
 * @returns for each figure of a sample, every contender's figures, round by round
 */
export async function runRounds<Contender extends { readonly label: string }>(
  [base, ...others]: readonly Contender[],
  rounds: number,
  measure: Sample<Contender>,
): Promise<Map<string, number[]>[]> {
  const tables: Map<string, number[]>[] = [];
  const note = ({ label }: Contender, figures: readonly number[]) => {
    for (const [index, figure] of figures.entries()) {
      const table = tables[index] ?? new Map<string, number[]>();
      tables[index] = table.set(label, [...(table.get(label) ?? []), figure]);
    }
  };
  if (!base) return tables;
  for (let round = 0; round < rounds; round += 1) {
    const before = await measure(base);
    const measured = new Map<Contender, readonly number[]>();
    for (const one of round % 2 === 0 ? others : others.toReversed()) measured.set(one, await measure(one));
    const after = await measure(base);
    note(
      base,
      before.map((figure, index) => (figure + (after[index] ?? Number.NaN)) / 2),
    );
    // In the order of the table.
    for (const one of others) note(one, measured.get(one) ?? []);
  }
  return tables;
}
