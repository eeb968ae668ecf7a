import { median } from "./median.ts";

/** One contender's result, beside the base. */
export interface ComparisonRow {
  readonly label: string;
  /** In the comparison's unit. */
  readonly median: number;
  /** To the base, round by round: machines are loaded unevenly, and a ratio within one short round feels that least. */
  readonly ratio: { readonly median: number; readonly min: number; readonly max: number };
}

/** What one table shows. */
export interface Comparison {
  readonly title: string;
  readonly unit: string;
  readonly better: "lower" | "higher";
  readonly rows: readonly ComparisonRow[];
}

/** The first contender is the base. */
export function compare(
  heading: Omit<Comparison, "rows">,
  samples: ReadonlyMap<string, readonly number[]>,
): Comparison {
  const [base] = samples.values();
  if (!base) throw new Error("nothing was measured");
  const rows = [...samples].map(([label, values]) => {
    const ratios = values.map((value, round) => value / (base[round] ?? Number.NaN));
    const ratio = { median: median(ratios), min: Math.min(...ratios), max: Math.max(...ratios) };
    return { label, median: median(values), ratio };
  });
  return { ...heading, rows };
}
