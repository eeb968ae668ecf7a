import type { Mistake } from "../../../cli/src/probe/judge.ts";
import type { Verdict } from "../../../cli/src/probe/run-corpus.ts";

/** The cases that went wrong, a line for each. */
export const wrongOf = (verdicts: Verdict[], isCounted = (_: Mistake): boolean => true): string[] =>
  verdicts.flatMap(({ id, mistakes }) => {
    const counted = mistakes.filter(isCounted);
    return counted.length > 0 ? [`${id}: ${counted.map(({ text }) => text).join("; ")}`] : [];
  });

/** How many went right and wrong, by group. */
export function summarise(verdicts: Verdict[]): string {
  const groups = [...new Set(verdicts.map(({ group }) => group))];
  const lines = groups.map((name) => `${name} ${countOf(verdicts.filter(({ group }) => group === name))}`);
  return [...lines, countOf(verdicts)].join("\n");
}

function countOf(verdicts: Verdict[]): string {
  const wrong = wrongOf(verdicts).length;
  return `${verdicts.length - wrong} right, ${wrong} wrong`;
}
