import type { ComparedCase, Mismatch } from "../../../cli/src/probe/compare.ts";

/** Lists the failed cases, one per line. */
export const wrongOf = (compared: ComparedCase[], isCounted = (_: Mismatch): boolean => true): string[] =>
  compared.flatMap(({ testCase, mismatches }) => {
    const counted = mismatches.filter(isCounted);
    return counted.length > 0 ? [`${testCase.id}: ${counted.map(({ text }) => text).join("; ")}`] : [];
  });

/** Counts how many passed and failed, by group. */
export function summarise(compared: ComparedCase[]): string {
  const groups = [...new Set(compared.map(({ group }) => group))];
  const lines = groups.map((name) => `${name} ${countOf(compared.filter(({ group }) => group === name))}`);
  return [...lines, countOf(compared)].join("\n");
}

function countOf(compared: ComparedCase[]): string {
  const wrong = wrongOf(compared).length;
  return `${compared.length - wrong} right, ${wrong} wrong`;
}
