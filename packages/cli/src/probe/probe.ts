import { asStandardWebhooks } from "../corpus/as-standard-webhooks.ts";
import { type Corpus, type CorpusCase, type CorpusGroup, stepsOf } from "../corpus/corpus.ts";
import { isEventCase } from "../corpus/is-event-case.ts";
import { readCorpus } from "../corpus/read-corpus.ts";
import type { Scheme } from "../corpus/scheme.ts";
import { defaultTimeoutMs } from "../exchange/exchange.ts";
import type { ReceiverUrl } from "../exchange/read-url.ts";
import { checkReceiver } from "./check-receiver.ts";
import { collectFindings, type ProbeFinding, type ProbeNote } from "./collect-findings.ts";
import type { RunSettings } from "./run-case.ts";
import { type Receiver, runCorpus } from "./run-corpus.ts";
import { selectCases } from "./select-cases.ts";
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
  timeoutMs?: number;
  /** Responds with the number of times that handlers have run. */
  counter?: string | undefined;
  onProgress?(done: number, total: number): void;
}

export interface ProbeResult {
  /** How many cases were sent. */
  sent: number;
  findings: ProbeFinding[];
  /** Differences from the corpus that need no change. */
  notes: ProbeNote[];
  /** Why cases were not sent, and how many. */
  skipped: { reason: string; count: number }[];
}

/** Beyond so many cases without a response, the receiver is down: the rest would only wait. */
const maxSilentCases = 10;

/** The groups of cases for a scheme, those of the timing included. */
export function groupsFor(corpus: Corpus, scheme: Scheme): CorpusGroup[] {
  const groups =
    scheme === "timestampDigest" ? corpus.groups : [...corpus.standardWebhooks, ...asStandardWebhooks(corpus.groups)];
  return [...groups.filter(({ cases }) => cases.length > 0), timingGroup];
}

/** Sends the corpus to a running receiver. @throws {UsageError} (rejects) if there is none that can be judged */
export async function probe(options: ProbeOptions): Promise<ProbeResult> {
  const { url, scheme, timeoutMs = defaultTimeoutMs } = options;
  const corpus = readCorpus();
  const selected = selectCases(groupsFor(corpus, scheme), options.only, options.skip);
  const settings: RunSettings = { config: configure(corpus, options), scheme, timeoutMs };
  const capabilities = await checkReceiver(url, settings);

  const skipped = new Map<string, number>();
  const isSent = (each: CorpusCase): boolean => {
    const reason = findSkipReason(each, options, capabilities.searches);
    if (reason !== undefined) skipped.set(reason, (skipped.get(reason) ?? 0) + 1);
    return reason === undefined;
  };
  const groups = selected.map((group) => ({ ...group, cases: group.cases.filter(isSent) }));
  const corpusGroups = groups.filter(({ name }) => name !== timingGroup.name);
  const timing = new Set(groups.find(({ name }) => name === timingGroup.name)?.cases.map(({ id }) => id));
  const total = groups.reduce((sum, { cases }) => sum + cases.length, 0);

  let done = 0;
  let silent = 0;
  const verdicts = await runCorpus(
    {
      ...{ ...settings, groups: corpusGroups },
      onCase: ({ problem }) => {
        done += 1;
        if (problem === "no_response") silent += 1;
        options.onProgress?.(done, total);
        return silent < maxSilentCases;
      },
    },
    receiverAt(options),
  );
  const unsent = total - timing.size - verdicts.length;
  if (unsent > 0) skipped.set(`the receiver did not respond to ${maxSilentCases} others`, unsent);
  const timingResults = unsent > 0 ? [] : await runTimingCases(url, timing);
  options.onProgress?.(total - unsent, total);
  return {
    sent: total - unsent,
    ...collectFindings(verdicts, timingResults),
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
  };
}

function receiverAt({ url, counter }: ProbeOptions): Receiver {
  const count = async () => Number(await (await fetch(counter ?? "", { signal: AbortSignal.timeout(5_000) })).text());
  return {
    concurrency: counter === undefined ? 4 : 1,
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

function findSkipReason(each: CorpusCase, options: ProbeOptions, hasSearches: boolean): string | undefined {
  if (Object.keys(each.receiver ?? {}).length > 0) return "they need a receiver with another clock or other settings";
  if (options.previousSecret === undefined && signsWithPrevious(each))
    return "they need WEBHOOK_SECRET_PREVIOUS, the secret before a rotation";
  if (!options.allowEvents && isEventCase(each)) return "they can create work; --allow-events sends them";
  const isSearch = stepsOf(each).some(({ request }) => JSON.stringify(request.target ?? "").includes("contact-sugg"));
  return isSearch && !hasSearches ? "the receiver has no POST /contact-suggestions, which is optional" : undefined;
}

const signsWithPrevious = (each: CorpusCase): boolean =>
  stepsOf(each).some(({ sign, other }) => sign?.secret === "previous" || other?.secret === "previous");
