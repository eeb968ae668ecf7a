import { type CorpusCase, stepsOf } from "../corpus/corpus.ts";
import type { WireResponse } from "../wire/read-responses.ts";
import { type DefectCode, defects, type NoteCode, notes } from "./defects.ts";
import { findDefect, findNote, isMalformed, staleDefect } from "./find-defect.ts";
import type { CaseOutcome, Mistake } from "./judge.ts";
import { casesAtOnce, type Verdict } from "./run-corpus.ts";
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
  received?: WireResponse;
}

export interface ProbeFinding {
  defect: DefectCode;
  evidence: Evidence[];
}

export interface ProbeNote {
  note: NoteCode;
  evidence: Evidence[];
}

/** What a receiver did otherwise than the corpus, in the order of its seriousness. */
export interface Findings {
  findings: ProbeFinding[];
  /** What costs nothing (D-104). */
  notes: ProbeNote[];
  /** All else: where the corpus has one right response, and a receiver may choose between several. */
  differences: { id: string; text: string }[];
}

/** Puts what costs an event, what costs nothing, and what is a choice apart. */
export function collectFindings(verdicts: readonly Verdict[], timing: readonly TimingResult[]): Findings {
  const found = new Map<DefectCode | NoteCode, Evidence[]>();
  const add = (code: DefectCode | NoteCode, one: Evidence) => found.set(code, [...(found.get(code) ?? []), one]);
  const differences: Findings["differences"] = [];
  const hasResponse = (ids: RegExp, ...statuses: number[]): boolean =>
    verdicts.some(({ id, outcome }) => ids.test(id) && statuses.includes(outcome.responses[0]?.status ?? 0));
  const isAnyTimeAccepted = hasResponse(/^freshness\/hour-(old|ahead)$/, 200);
  const isHourOldAccepted = hasResponse(/\/hour-old$/, 200);
  const isOldRefused = hasResponse(/^freshness\/four-minutes-old$/, 401, 403);
  const last = lastRequests(verdicts);
  for (const { each, outcome } of last)
    add("receiver_stopped", evidenceOf(each, outcome, { kind: "status", text: "connections are refused since" }));
  for (const verdict of verdicts) {
    const { id, each, outcome, mistakes } = verdict;
    if (outcome.isRefused || last.includes(verdict)) continue;
    for (const mistake of mistakes) {
      const step = stepsOf(each)[mistake.step ?? 0];
      const defect = findDefect(each, mistake, outcome);
      let code: DefectCode | undefined = defect;
      // A receiver that accepts any time does not ignore the zone in particular.
      if (defect === "zone_ignored" && isAnyTimeAccepted && step) code = staleDefect(id, step);
      // A receiver that accepts any age needs no second timestamp for it.
      if (defect === "second_timestamp_accepted" && isHourOldAccepted) code = "duplicate_header_accepted";
      // A Timestamp without seconds is up to a minute old when it comes.
      if (defect === "precision_refused" && isOldRefused && id.includes("minute")) code = "tolerance_too_small";
      const shown = code ?? findNote(each, step, mistake);
      if (shown === undefined) differences.push({ id, text: mistake.text });
      else add(shown, evidenceOf(each, outcome, mistake));
    }
    if (!isMalformed(each) && isSlow(each.id, outcome))
      add("slow_response", evidenceOf(each, outcome, { kind: "status", text: slowText(outcome) }));
  }
  for (const { code, ...one } of timing) add(code, one);
  return {
    findings: (Object.keys(defects) as DefectCode[]).flatMap((defect) => {
      const evidence = found.get(defect);
      return evidence ? [{ defect, evidence }] : [];
    }),
    notes: (Object.keys(notes) as NoteCode[]).flatMap((note) => {
      const evidence = found.get(note);
      return evidence ? [{ note, evidence }] : [];
    }),
    differences,
  };
}

/** The requests that were under way when the receiver stopped, one of which is the cause; none where it did not stop. */
function lastRequests(verdicts: readonly Verdict[]): readonly Verdict[] {
  const first = verdicts.findIndex(({ outcome }) => outcome.isRefused);
  if (first < 0) return [];
  const cutOff = verdicts
    .slice(Math.max(0, first - casesAtOnce))
    .filter(({ outcome }) => !outcome.isRefused && outcome.responses.includes(undefined));
  return cutOff.length > 0 ? cutOff : verdicts.slice(first, first + 1);
}

function evidenceOf(each: CorpusCase, { sent, responses }: CaseOutcome, { text, step = 0 }: Mistake): Evidence {
  const received = responses[step];
  return {
    id: each.id,
    title: each.title,
    source: each.why,
    text,
    sent: sent[step] ?? Buffer.alloc(0),
    ...(received && { received }),
  };
}

/** Only where the receiver has nothing to read but the head, and its own speed is what is measured. */
const isSlow = (id: string, { durationsMs, problem }: CaseOutcome): boolean =>
  problem === undefined &&
  /^(methods|headers|digests|standard)\//.test(id) &&
  Math.max(...durationsMs) > checkTimeoutMs;

const slowText = ({ durationsMs }: CaseOutcome): string =>
  `the response took ${(Math.max(...durationsMs) / 1000).toFixed(1)} s`;
