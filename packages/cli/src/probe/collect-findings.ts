import { type DefectCode, defects } from "./defects.ts";
import { findDefect, isMalformed } from "./find-defect.ts";
import type { CaseOutcome, Mistake } from "./judge.ts";
import type { Verdict } from "./run-corpus.ts";
import { checkTimeoutMs, type TimingResult } from "./timing-cases.ts";

/** A case that shows a defect. */
export interface Evidence {
  id: string;
  title: string;
  /** What was expected and what came back. */
  text: string;
  /** What the corpus cites for the expectation. */
  source?: string;
  /** The request, and what came back if anything did. */
  sent: Buffer;
  received?: { status: number; headers: ReadonlyMap<string, string>; body: string };
}

export interface ProbeFinding {
  defect: DefectCode;
  evidence: Evidence[];
}

export interface ProbeNote {
  id: string;
  text: string;
}

/** Puts what went wrong in the order of its seriousness, and apart from what is only a difference. */
export function collectFindings(
  verdicts: readonly Verdict[],
  timing: readonly TimingResult[],
): { findings: ProbeFinding[]; notes: ProbeNote[] } {
  const evidence = new Map<DefectCode, Evidence[]>();
  const notes: ProbeNote[] = [];
  const add = (defect: DefectCode, one: Evidence) => evidence.set(defect, [...(evidence.get(defect) ?? []), one]);
  for (const { id, each, outcome, mistakes } of verdicts) {
    for (const mistake of mistakes) {
      const defect = findDefect(each, mistake, outcome);
      if (defect === undefined) notes.push({ id, text: mistake.text });
      else add(defect, { id, title: each.title, source: each.why, ...exchangeOf(outcome, mistake) });
    }
    if (!isMalformed(each) && isSlow(each.id, outcome))
      add("slow_response", {
        id,
        title: each.title,
        ...exchangeOf(outcome, { kind: "status", text: slowText(outcome) }),
      });
  }
  for (const { id, text, defect, sent } of timing) {
    if (defect === undefined) notes.push({ id, text });
    else add(defect, { id, title: "A request beside a slow sender gets its response.", text, sent });
  }
  const order = Object.keys(defects) as DefectCode[];
  const findings = order.flatMap((defect) => {
    const found = evidence.get(defect);
    return found ? [{ defect, evidence: found }] : [];
  });
  return { findings, notes };
}

function exchangeOf({ sent, responses }: CaseOutcome, { text, step = 0 }: Mistake): Omit<Evidence, "id" | "title"> {
  const received = responses[step];
  return { text, sent: sent[step] ?? Buffer.alloc(0), ...(received && { received }) };
}

/** Only where the receiver has nothing to read but the head, and its own speed is what is measured. */
const isSlow = (id: string, { durationsMs, problem }: CaseOutcome): boolean =>
  problem === undefined &&
  /^(methods|headers|digests|standard)\//.test(id) &&
  Math.max(...durationsMs) > checkTimeoutMs;

const slowText = ({ durationsMs }: CaseOutcome): string =>
  `the response took ${(Math.max(...durationsMs) / 1000).toFixed(1)} s`;
