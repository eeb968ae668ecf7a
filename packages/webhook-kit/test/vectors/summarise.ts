import type { ComparedCase, Mismatch } from "../../../cli/src/probe/compare.ts";

/** Returns one line for each case that has mismatches which count as failures. */
export const describeFailures = (cases: ComparedCase[], isFailure = (_: Mismatch): boolean => true): string[] =>
  cases.flatMap(({ testCase, mismatches }) => {
    const failures = mismatches.filter(isFailure);
    return failures.length > 0 ? [`${testCase.id}: ${failures.map(({ text }) => text).join("; ")}`] : [];
  });

/** Describes how many cases passed and failed, by group and in total. */
export function summarise(cases: ComparedCase[]): string {
  const groupNames = [...new Set(cases.map(({ group }) => group))];
  const lines = groupNames.map((name) => `${name} ${describeCounts(cases.filter(({ group }) => group === name))}`);
  return [...lines, describeCounts(cases)].join("\n");
}

function describeCounts(cases: ComparedCase[]): string {
  const failedCount = describeFailures(cases).length;
  return `${cases.length - failedCount} passed, ${failedCount} failed`;
}
