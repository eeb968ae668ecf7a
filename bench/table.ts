import type { Comparison, ComparisonRow } from "./comparison.ts";

/** Formats a comparison as a Markdown table. */
export function formatTable(comparison: Comparison): string {
  const { title, unit, better, rows } = comparison;
  const lines = rows.map((row) => [
    row.label,
    formatFigure(row.median),
    `${row.ratio.median.toFixed(2)}x`,
    formatInterval(row),
    formatVerdict(row, comparison),
  ]);
  const table = [
    ["Candidate", unit, "ratio to first row", "95 %", "Result"],
    ["---", "---:", "---:", "---:", "---"],
    ...lines,
  ];
  const formattedRows = table.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
  return `### ${title}\n\n${formattedRows}\n\n${better === "lower" ? "Lower" : "Higher"} is better.\n`;
}

function formatFigure(value: number): string {
  if (value < 10) return value.toFixed(2);
  if (value < 1000) return value.toFixed(1);
  return Math.round(value).toLocaleString("en-GB");
}

function formatInterval({ verdict, ratio: { interval } }: ComparisonRow): string {
  if (verdict === "base" || interval === undefined) return "";
  return interval.low === interval.high ? "exact" : `${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}`;
}

function formatVerdict({ verdict }: ComparisonRow, { exact }: Comparison): string {
  if (verdict === "base") return "";
  if (verdict === "inconclusive") return exact ? "the same" : "no difference";
  const [better, worse] = exact ? ["smaller", "larger"] : ["faster", "slower"];
  return verdict === "better" ? better : worse;
}
