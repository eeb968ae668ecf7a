import type { Comparison } from "./comparison.ts";

/** A comparison as a Markdown table. */
export function printTable({ title, unit, better, rows }: Comparison): string {
  const lines = rows.map(({ label, median, ratio }) => [
    label,
    formatFigure(median),
    `${ratio.median.toFixed(2)}x`,
    `${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)}`,
  ]);
  const table = [["", unit, "to the first", "spread"], ["---", "---:", "---:", "---:"], ...lines];
  return `### ${title}\n\n${table.map((cells) => `| ${cells.join(" | ")} |`).join("\n")}\n\n${better === "lower" ? "Lower" : "Higher"} is better.\n`;
}

const formatFigure = (value: number): string =>
  value < 1000 ? value.toFixed(1) : Math.round(value).toLocaleString("en-GB");
