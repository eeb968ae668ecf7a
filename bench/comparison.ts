import { type Interval, medianInterval } from "./interval.ts";
import { median } from "./median.ts";

/** What the figures of a candidate show, compared with the base; "not shown" if the interval of the ratio contains 1. */
export type Verdict = "base" | "better" | "worse" | "not shown";

/** One candidate's result, compared with the base. */
export interface ComparisonRow {
  readonly label: string;
  /** In the comparison's unit. */
  readonly median: number;
  /** Relative to the base, round by round: machines are loaded unevenly, and a ratio within one short round is affected least. */
  readonly ratio: { readonly median: number; readonly interval?: Interval };
  readonly verdict: Verdict;
}

/** The result that one table shows. */
export interface Comparison {
  readonly title: string;
  readonly unit: string;
  readonly better: "lower" | "higher";
  /** Counted, not measured: a single value says everything. */
  readonly exact?: boolean;
  readonly rows: readonly ComparisonRow[];
}

/**
 * The first candidate is the base.
 *
 * @param pairedRatios the ratios of candidates measured in turns with the base; without them, ratios are of one round
 */
export function compare(
  heading: Omit<Comparison, "rows">,
  samples: ReadonlyMap<string, readonly number[]> | undefined,
  pairedRatios?: ReadonlyMap<string, readonly number[]>,
): Comparison {
  const [base] = samples?.values() ?? [];
  if (!samples || !base) throw new Error("nothing was measured");
  const rows = [...samples].map(([label, values]): ComparisonRow => {
    const ratios = pairedRatios?.get(label) ?? values.map((value, round) => value / (base[round] ?? Number.NaN));
    const middle = median(ratios);
    const interval = heading.exact ? { low: middle, high: middle } : medianInterval(ratios);
    const ratio = { median: middle, ...(interval && { interval }) };
    const verdict = values === base ? "base" : judge(interval, heading.better);
    return { label, median: median(values), ratio, verdict };
  });
  return { ...heading, rows };
}

function judge(interval: Interval | undefined, better: Comparison["better"]): Verdict {
  if (interval === undefined || (interval.low <= 1 && interval.high >= 1)) return "not shown";
  return interval.high < 1 === (better === "lower") ? "better" : "worse";
}
