import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { z } from "zod";

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

const value = z.union([z.string(), z.number(), z.array(z.number())]);

const decisionsSchema = z.record(
  z.string().regex(/^D-\d{2,3}$/),
  z.strictObject({
    question: z.string(),
    evidence: z.string(),
    choice: z.string(),
    /** Constants that code takes from here, by its package or example and their name. */
    values: z.record(z.string(), z.record(z.string().regex(/^[a-z]\w+$/), value)).optional(),
    why: z.string(),
    change: z.string(),
    /** The tests that show that the code does so. */
    tests: z.array(z.string()).min(1),
  }),
);

export type Decision = z.infer<typeof decisionsSchema>[string];

/** What spec/decisions.yaml holds, by id. */
export const readDecisions = (root: string): Record<string, Decision> =>
  decisionsSchema.parse(parse(readFileSync(join(root, "spec/decisions.yaml"), "utf8")));

/** How one statement of the contract is proven. */
const proofSchema = z.strictObject({
  says: z.string(),
  /** Each `file > describe > test`, as vitest lists it. */
  tests: z.array(z.string()).min(1),
  decisions: z.array(z.string()).min(1).default([]),
});

const proofsSchema = z.record(z.string(), z.array(proofSchema));

/** What spec/proofs.yaml holds, in its order, each proof with its section. */
export const readProofs = (root: string) =>
  Object.entries(proofsSchema.parse(parse(readFileSync(join(root, "spec/proofs.yaml"), "utf8")))).flatMap(
    ([section, proofs]) => proofs.map((proof) => ({ section, ...proof })),
  );
