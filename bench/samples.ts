/** Measures one candidate in a new process. @returns one figure for each table */
export type MeasureSample<Candidate> = (candidate: Candidate) => Promise<readonly number[]>;

/**
 * In each round, measures every candidate once, and the base twice: before and after the others. The order of the others alternates between
 * forwards and backwards, so that anything that slows the machine down, even gradually, affects all candidates equally.
 *
 * @returns one map per table, from each candidate's label to its figures, round by round; each base figure is the mean of two
 */
export async function collectSamples<Candidate extends { readonly label: string }>(
  [base, ...others]: readonly Candidate[],
  rounds: number,
  measure: MeasureSample<Candidate>,
): Promise<Map<string, number[]>[]> {
  const tables: Map<string, number[]>[] = [];
  const append = ({ label }: Candidate, figures: readonly number[]) => {
    for (const [index, figure] of figures.entries()) {
      tables[index] ??= new Map();
      const table = tables[index];
      table.set(label, [...(table.get(label) ?? []), figure]);
    }
  };
  if (!base) return tables;
  for (let round = 0; round < rounds; round += 1) {
    const before = await measure(base);
    const figuresByCandidate = new Map<Candidate, readonly number[]>();
    for (const candidate of round % 2 === 0 ? others : others.toReversed())
      figuresByCandidate.set(candidate, await measure(candidate));
    const after = await measure(base);
    const baseMeans = before.map((figure, index) => (figure + (after[index] ?? Number.NaN)) / 2);
    append(base, baseMeans);
    // Append in the order of the table rows, not in the order of measurement.
    for (const candidate of others) append(candidate, figuresByCandidate.get(candidate) ?? []);
  }
  return tables;
}
