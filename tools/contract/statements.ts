import { readFileSync } from "node:fs";
import { join } from "node:path";

/** One statement of spec/interface.md: a sentence, a list item's sentence, or a row of a table. */
export interface Statement {
  /** The headings above it, outermost first; the title alone before the first of them. */
  section: string;
  /** Verbatim; the cells of a row are joined by ` | `. */
  text: string;
  /** Whether it leaves something open. */
  isOpen: boolean;
}

/** Every statement of the contract, in its order. */
export function readStatements(root: string): Statement[] {
  const statements: Statement[] = [];
  const headings: string[] = [];
  let title = "";
  let isInTable = false;
  for (const line of readFileSync(join(root, "spec/interface.md"), "utf8").split("\n")) {
    const [, marks, heading] = /^(#+) (.*)$/.exec(line) ?? [];
    if (marks !== undefined && heading !== undefined) {
      if (marks.length === 1) title = heading;
      else headings.splice(marks.length - 2, Infinity, heading);
      continue;
    }
    const isRow = line.startsWith("|");
    // The first two lines of a table name its columns.
    const isHead = isRow && (!isInTable || /^\|[-|]+\|$/.test(line));
    isInTable = isRow;
    if (isHead) continue;
    for (const text of isRow ? [cellsOf(line)] : sentencesOf(line))
      statements.push({ section: headings.join(" › ") || title, text, isOpen: /not (shown|explained)/.test(text) });
  }
  return statements;
}

const cellsOf = (row: string): string =>
  row
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim())
    .join(" | ");

function sentencesOf(line: string): string[] {
  const text = line.replace(/^\s*(?:\d+\.|-) /, "");
  return text.split(/(?<=[.!?])\s+(?=[A-Z`])/).filter((sentence) => sentence !== "");
}
