import type { ComparedCase, Mismatch } from "../../../cli/src/probe/compare.ts";

/** Returns a line for each failed case. */
export const describeFailures = (compared: ComparedCase[], isCounted = (_: Mismatch): boolean => true): string[] =>
  compared.flatMap(({ testCase, mismatches }) => {
    const counted = mismatches.filter(isCounted);
    return counted.length > 0 ? [`${testCase.id}: ${counted.map(({ text }) => text).join("; ")}`] : [];
  });

/** Returns how many cases passed and failed, by group and in total. */
export function summarise(compared: ComparedCase[]): string {
  const groups = [...new Set(compared.map(({ group }) => group))];
  const lines = groups.map((name) => `${name} ${describeCounts(compared.filter(({ group }) => group === name))}`);
  return [...lines, describeCounts(compared)].join("\n");
}

function describeCounts(compared: ComparedCase[]): string {
  const failed = describeFailures(compared).length;
  return `${compared.length - failed} passed, ${failed} failed`;
}
