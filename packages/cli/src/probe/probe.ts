import { type Corpus, type CorpusCase, type CorpusGroup, readCorpus, stepsOf } from "../corpus/corpus.ts";
import { casesFor, type Endpoint, endpointOf, isEventCase, isForEvents, selectCases } from "../corpus/select-cases.ts";
import type { Scheme } from "../signature/sign-request.ts";
import type { ReceiverUrl } from "../wire/receiver-url.ts";
import { diagnoseChecks, endpoints, explainPrecision, plainRequest, type Subject } from "./diagnose.ts";
import { collectFindings, type Findings, type ProbeFinding } from "./findings.ts";
import type { CaseOutcome } from "./judge.ts";
import { type RunSettings, runCase } from "./run-case.ts";
import { casesAtOnce, type Receiver, runCorpus } from "./run-corpus.ts";
import { runTimingCases, timingGroup } from "./timing-cases.ts";

export interface ProbeOptions {
  url: ReceiverUrl;
  scheme: Scheme;
  secret: string;
  /** The secret before a rotation; without it, the cases that sign with it are left out. */
  previousSecret?: string | undefined;
  allowEvents: boolean;
  only: readonly string[];
  skip: readonly string[];
  /** For each request. @default 10,000, and 16,000 for an event */
  timeoutMs?: number | undefined;
  /** Responds with the number of times that handlers have run. */
  counter?: string | undefined;
  onProgress?(done: number, total: number): void;
}

export interface ProbeResult extends Findings {
  /** How many cases were sent. */
  sent: number;
  /** Why cases were not sent, and how many. */
  skipped: { reason: string; count: number }[];
}

/** Beyond so many cases without a response, the receiver is down: the rest would only wait. */
const maxSilentCases = 10;

/** The groups of cases for a scheme, those of the timing included. */
export const groupsFor = (corpus: Corpus, scheme: Scheme): CorpusGroup[] => [...casesFor(corpus, scheme), timingGroup];

/** Sends the corpus to a running receiver. @throws {UsageError} (rejects) if there is none that can be judged */
export async function probe(options: ProbeOptions): Promise<ProbeResult> {
  const { url, scheme, secret, timeoutMs } = options;
  const corpus = readCorpus();
  const selected = selectCases(groupsFor(corpus, scheme), options.only, options.skip);
  const settings: RunSettings = { config: configure(corpus, options), scheme, timeoutMs };
  const subject: Subject = { url, scheme, secret, timeoutMs };
  const failed = await diagnoseChecks(subject);
  if (failed) return failedChecks(failed, selected);

  const missing = await findMissing(settings, options);
  const skipped = new Map<string, number>();
  const isSent = (each: CorpusCase): boolean => {
    const reason = findSkipReason(each, options, missing);
    if (reason !== undefined) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    return reason === undefined;
  };
  const groups = selected.map((group) => ({ ...group, cases: group.cases.filter(isSent) }));
  const corpusGroups = groups.filter(({ name }) => name !== timingGroup.name);
  const timing = new Set(groups.find(({ name }) => name === timingGroup.name)?.cases.map(({ id }) => id));
  const total = groups.reduce((sum, { cases }) => sum + cases.length, 0);

  let done = 0;
  let silent = 0;
  let hasStopped = false;
  const onCase = ({ problem, isRefused }: CaseOutcome): boolean => {
    done += 1;
    if (problem === "no_response") silent += 1;
    if (isRefused) hasStopped = true;
    options.onProgress?.(done, total);
    return silent < maxSilentCases && !hasStopped;
  };
  const verdicts = await runCorpus({ ...settings, groups: corpusGroups, onCase }, receiverAt(options));
  const unsent = total - timing.size - verdicts.length;
  if (unsent > 0)
    skipped.set(
      hasStopped ? "the receiver stopped" : `the receiver did not respond to ${maxSilentCases} others`,
      unsent,
    );
  const timingResults = unsent > 0 ? [] : await runTimingCases(url, timing);
  options.onProgress?.(total - unsent, total);
  const { findings, ...others } = collectFindings(verdicts, timingResults);
  const explained = await Promise.all(
    findings.map((each) => (each.defect === "precision_refused" ? explainPrecision(subject, each) : each)),
  );
  const response = missing.get("POST /offer/response");
  return {
    sent: total - unsent,
    findings: [...(options.allowEvents && response ? [response] : []), ...explained],
    ...others,
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
  };
}

/** A receiver that refuses the service's own checks gets most cases wrong, for the same reason. */
function failedChecks(finding: ProbeFinding, groups: readonly CorpusGroup[]): ProbeResult {
  const count = groups.reduce((sum, { cases }) => sum + cases.length, 0);
  return {
    sent: 0,
    findings: [finding],
    notes: [],
    differences: [],
    skipped: [{ reason: "the receiver must first pass the service's own checks", count }],
  };
}

function receiverAt({ url, counter }: ProbeOptions): Receiver {
  const count = async () => Number(await (await fetch(counter ?? "", { signal: AbortSignal.timeout(5_000) })).text());
  return {
    concurrency: counter === undefined ? casesAtOnce : 1,
    // It cannot be set up as a case needs it.
    targetOf: (needs) => (Object.keys(needs).length > 0 ? undefined : url),
    ...(counter !== undefined && { count }),
  };
}

/** The corpus's own secrets are replaced by those of the receiver. */
function configure({ config }: Corpus, { scheme, secret, previousSecret }: ProbeOptions): Corpus["config"] {
  const wrong =
    scheme === "standardWebhooks" ? `whsec_${Buffer.alloc(32, 7).toString("base64")}` : (config.secrets.wrong ?? "");
  return { ...config, secrets: { current: secret, previous: previousSecret ?? "", wrong } };
}

/** The optional endpoints that the receiver does not have, each with the exchange that shows it. Events are only sent if allowed. */
async function findMissing(settings: RunSettings, { url, allowEvents }: ProbeOptions) {
  const missing = new Map<Endpoint, ProbeFinding>();
  for (const endpoint of endpoints) {
    const request = plainRequest(endpoint, settings.scheme);
    if (isForEvents(request) && !allowEvents) continue;
    const each: CorpusCase = {
      id: "check/endpoint",
      title: `${endpoint} exists.`,
      why: "interface.md: webhook endpoints.",
      request,
      response: { status: 200, handled: 1 },
    };
    const { responses, sent } = await runCase(settings, each, url, Date.now());
    const [received] = responses;
    if (!received || ![404, 405, 501].includes(received.status)) continue;
    const evidence = { ...each, text: `expected 200, got ${received.status}`, sent: sent[0] ?? Buffer.of(), received };
    missing.set(endpoint, { defect: "event_endpoint_missing", evidence: [evidence] });
  }
  return missing;
}

function findSkipReason(
  each: CorpusCase,
  options: ProbeOptions,
  missing: ReadonlyMap<Endpoint, unknown>,
): string | undefined {
  if (Object.keys(each.receiver ?? {}).length > 0) return "they need a receiver with another clock or other settings";
  if (options.previousSecret === undefined && signsWithPrevious(each))
    return "they need WEBHOOK_SECRET_PREVIOUS, the secret before a rotation";
  if (!options.allowEvents && isEventCase(each)) return "they can create work; --allow-events sends them";
  const absent = stepsOf(each)
    .map(({ request }) => endpointOf(request))
    .find((endpoint) => endpoint !== undefined && missing.has(endpoint));
  if (absent === undefined) return undefined;
  return `the receiver has no ${absent}${absent === "POST /offer/response" ? "" : ", which is optional"}`;
}

const signsWithPrevious = (each: CorpusCase): boolean =>
  stepsOf(each).some(({ sign, other }) => sign?.secret === "previous" || other?.secret === "previous");
