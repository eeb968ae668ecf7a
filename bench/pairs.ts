import { median } from "./median.ts";

/** The figures of a base and a candidate that were measured alternately, one figure for each slice. */
export interface Pair {
  readonly base: readonly number[];
  readonly candidate: readonly number[];
}

/** Measures slices of the base and the candidate alternately: base, candidate, candidate, base, base, … */
export async function measureAlternately(
  slices: number,
  measureBase: () => Promise<number>,
  measureCandidate: () => Promise<number>,
): Promise<Pair> {
  const base: number[] = [];
  const candidate: number[] = [];
  for (let slice = 0; slice < slices; slice += 1) {
    const isBaseFirst = slice % 2 === 0;
    if (isBaseFirst) base.push(await measureBase());
    candidate.push(await measureCandidate());
    if (!isBaseFirst) base.push(await measureBase());
  }
  return { base, candidate };
}

/** Figures of every candidate, round by round, and their ratios to the base. */
export interface PairedFigures {
  readonly values: Map<string, number[]>;
  readonly ratios: Map<string, number[]>;
}

/**
 * Measures every candidate once per round, alternately with the base. Other work on the same physical core can halve the
 * speed of a process for seconds. This affects medians far more than ratios to a base that is measured alternately.
 *
 * @param measure returns one pair for each table
 * @returns the results for each table
 */
export async function collectPairs<Candidate extends { readonly label: string }>(
  [base, ...others]: readonly Candidate[],
  rounds: number,
  measure: (candidate: Candidate, base: Candidate) => Promise<readonly Pair[]>,
): Promise<PairedFigures[]> {
  const tables: PairedFigures[] = [];
  if (!base) return tables;
  const append = (map: Map<string, number[]>, label: string, figure: number) =>
    map.set(label, [...(map.get(label) ?? []), figure]);
  for (let round = 0; round < rounds; round += 1) {
    for (const candidate of others) {
      const pairs = await measure(candidate, base);
      for (const [index, pair] of pairs.entries()) {
        tables[index] ??= { values: new Map([[base.label, []]]), ratios: new Map([[base.label, []]]) };
        const { values, ratios } = tables[index];
        append(values, base.label, median(pair.base));
        append(ratios, base.label, 1);
        append(values, candidate.label, median(pair.candidate));
        const sliceRatios = pair.candidate.map((figure, slice) => figure / (pair.base[slice] ?? Number.NaN));
        append(ratios, candidate.label, median(sliceRatios));
      }
    }
  }
  return tables;
}
