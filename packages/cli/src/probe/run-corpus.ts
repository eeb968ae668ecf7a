import type { CorpusCase, CorpusGroup, ReceiverNeeds } from "../corpus/corpus.ts";
import { type CaseOutcome, judge, type Mistake, type Noted } from "./judge.ts";
import { type RunSettings, runCase, type Target } from "./run-case.ts";

/** How many cases a receiver is sent at once, unless it counts its handlers' runs. */
export const casesAtOnce = 4;

/** A receiver to send the corpus to. */
export interface Receiver {
  /** How many cases it is sent at once. */
  readonly concurrency: number;
  /** Where to send a case, with memory of no other; undefined when this receiver cannot be set up as the case needs it. */
  targetOf(needs: ReceiverNeeds): Target | undefined;
  /** What it noted of each target's case, asked when all are over. */
  tally?(targets: Target[]): Promise<Noted[]>;
  /** How often handlers have run so far; only asked of a receiver that is sent one case at a time. */
  count?(): Promise<number>;
}

export interface Verdict {
  group: string;
  id: string;
  each: CorpusCase;
  outcome: CaseOutcome;
  mistakes: Mistake[];
}

export interface CorpusRun extends RunSettings {
  groups: readonly CorpusGroup[];
  /**
   * The instant that sender and receiver take for now where a case names no other. Left out, it is the real one, and the cases that
   * name an instant are left out.
   */
  clock?: string | undefined;
  /** Called after each case. Returns whether to go on with the next one. */
  onCase?(outcome: CaseOutcome): boolean;
}

/** Sends every case that the receiver can be set up for, and judges. */
export async function runCorpus(run: CorpusRun, receiver: Receiver): Promise<Verdict[]> {
  const runs: { group: string; each: CorpusCase; target: Target; outcome: CaseOutcome }[] = [];
  const queue = run.groups.flatMap(({ name, cases }) => cases.map((each) => ({ group: name, each })));
  const work = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const { receiver: needs = {} } = next.each;
      if (run.clock === undefined && needs.clock !== undefined) continue;
      const instant = needs.clock ?? run.clock;
      const target = receiver.targetOf({ ...needs, ...(instant !== undefined && { clock: instant }) });
      if (!target) continue;
      const before = await receiver.count?.();
      const outcome = await runCase(run, next.each, target, instant === undefined ? Date.now() : Date.parse(instant));
      if (before !== undefined) outcome.noted = { handled: ((await receiver.count?.()) ?? 0) - before };
      runs.push({ ...next, target, outcome });
      if (run.onCase?.(outcome) === false) queue.length = 0;
    }
  };
  await Promise.all(Array.from({ length: receiver.concurrency }, work));
  const noted = (await receiver.tally?.(runs.map(({ target }) => target))) ?? [];
  for (const [index, one] of noted.entries()) Object.assign(runs[index]?.outcome ?? {}, { noted: one });
  const usual = usualRefusal(runs.map(({ outcome }) => outcome));
  return runs.map(({ group, each, outcome }) => {
    const isDistinct = refusalsOf(outcome).some((body) => body !== usual);
    const distinct: Mistake[] = isDistinct
      ? [{ kind: "refusal", text: "a 401 with another body than the others" }]
      : [];
    const mistakes = [...judge(run.config, each, outcome, run.scheme), ...distinct];
    return { group, id: each.id, each, outcome, mistakes };
  });
}

/** The bodies of 401 responses, without what is different for each request, such as its id. A response to HEAD has none. */
const refusalsOf = ({ responses, sent }: CaseOutcome): string[] =>
  responses.flatMap((response, index) => {
    if (response?.status !== 401 || sent[index]?.toString("latin1", 0, 5) === "HEAD ") return [];
    return [response.body.replaceAll(/[\da-f]{6,}|\d+/gi, "#")];
  });

/** The body that most 401s have: another one tells the sender which check failed (D-17). */
function usualRefusal(outcomes: CaseOutcome[]): string | undefined {
  const counts = new Map<string, number>();
  for (const body of outcomes.flatMap(refusalsOf)) counts.set(body, (counts.get(body) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one)[0]?.[0];
}
