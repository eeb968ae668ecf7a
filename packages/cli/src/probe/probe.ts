import type { Scheme } from "../signature/sign-request.ts";
import { readVectors, type TestVectors, type VectorGroup } from "../vectors/vectors.ts";
import type { ReceiverUrl } from "../wire/receiver-url.ts";
import { diagnosePrecision, findMissingEndpoints, runChecks } from "./checks.ts";
import { compareCases } from "./compare.ts";
import { collectFindings, type Finding } from "./explain.ts";
import { selectNamed, selectSendable, vectorGroupsFor } from "./select.ts";
import { defaultConcurrency, type Receiver, type SendCasesOptions, type SentCase, sendCases } from "./send.ts";
import { sendTimingCases, timingGroup } from "./timing.ts";

export interface ProbeOptions {
  url: ReceiverUrl;
  scheme: Scheme;
  secret: string;
  /** The secret before a rotation. Without it, the cases that are signed with it are skipped. */
  previousSecret?: string | undefined;
  allowEvents: boolean;
  only: readonly string[];
  skip: readonly string[];
  /** The time limit for each request. @default 10,000, and 16,000 for an event */
  timeoutMs?: number | undefined;
  /** A URL that returns how many times handlers have run. */
  counter?: string | undefined;
  onProgress?(done: number, total: number): void;
}

export interface ProbeResult {
  /** How many cases were sent. */
  sent: number;
  /** Most serious first. */
  findings: Finding[];
  /** Why cases were not sent, and how many. */
  skipped: { reason: string; count: number }[];
}

/** After this many cases without a response, no more cases are sent, because the receiver is probably down. */
const maxSilentCases = 10;

/** Returns all groups for a scheme, including the timing group. */
export const allGroupsFor = (vectors: TestVectors, scheme: Scheme): VectorGroup[] => [
  ...vectorGroupsFor(vectors, scheme),
  timingGroup,
];

/**
 * Sends the selected test vectors to a running receiver, compares the responses with the vectors, and explains the differences.
 *
 * @throws {UsageError} (rejects) if the receiver cannot be probed
 */
export async function probe(options: ProbeOptions): Promise<ProbeResult> {
  const { url, scheme, secret, timeoutMs, allowEvents } = options;
  const vectors = readVectors();
  const selected = selectNamed(allGroupsFor(vectors, scheme), options.only, options.skip);
  const failedCheck = await runChecks({ url, scheme, secret, timeoutMs });
  // A receiver that rejects the service's own checks would fail most cases for the same reason.
  if (failedCheck)
    return {
      sent: 0,
      findings: [failedCheck],
      skipped: [{ reason: "the receiver must first pass the service's own checks", count: countCases(selected) }],
    };

  const settings = { config: toConfig(vectors, options), scheme, timeoutMs };
  const missingEndpoints = await findMissingEndpoints(settings, url, allowEvents);
  const hasPreviousSecret = options.previousSecret !== undefined;
  const { groups, skipped } = selectSendable(selected, {
    allowEvents,
    hasPreviousSecret,
    missingEndpoints: new Set(missingEndpoints.keys()),
  });
  const total = countCases(groups);
  const timingCases = groups.find(({ name }) => name === timingGroup.name)?.cases ?? [];

  const vectorGroups = groups.filter(({ name }) => name !== timingGroup.name);
  const { sentCases, skipReason } = await sendWhileResponding(
    { ...settings, groups: vectorGroups },
    toReceiver(options),
    (doneCount) => options.onProgress?.(doneCount, total),
  );
  const unsentCount = total - timingCases.length - sentCases.length;
  if (unsentCount > 0) skipped.set(skipReason, unsentCount);
  const timingEvidence = unsentCount > 0 ? [] : await sendTimingCases(url, timingCases);
  options.onProgress?.(total - unsentCount, total);

  const findings = collectFindings(compareCases(settings, sentCases), timingEvidence);
  const explainedFindings = await Promise.all(
    findings.map((finding) =>
      finding.code === "precision_refused" ? diagnosePrecision({ url, scheme, secret, timeoutMs }, finding) : finding,
    ),
  );
  const missingResponseEndpoint = missingEndpoints.get("POST /offer/response");
  return {
    sent: total - unsentCount,
    findings: [...(allowEvents && missingResponseEndpoint ? [missingResponseEndpoint] : []), ...explainedFindings],
    skipped: [...skipped].map(([reason, count]) => ({ reason, count })),
  };
}

/** Sends cases until the receiver stops, or too many cases get no response. @returns the sent cases, and why others were not sent */
async function sendWhileResponding(
  options: SendCasesOptions,
  receiver: Receiver,
  onDone: (doneCount: number) => void,
): Promise<{ sentCases: SentCase[]; skipReason: string }> {
  let doneCount = 0;
  let silentCount = 0;
  let hasStopped = false;
  const onCase = ({ failure, isConnectionRefused }: SentCase): boolean => {
    doneCount += 1;
    if (failure === "no_response") silentCount += 1;
    if (isConnectionRefused) hasStopped = true;
    onDone(doneCount);
    return silentCount < maxSilentCases && !hasStopped;
  };
  const sentCases = await sendCases({ ...options, onCase }, receiver);
  const skipReason = hasStopped
    ? "the receiver stopped"
    : `the receiver did not respond to ${maxSilentCases} other cases`;
  return { sentCases, skipReason };
}

const countCases = (groups: readonly VectorGroup[]): number => groups.reduce((sum, { cases }) => sum + cases.length, 0);

function toReceiver({ url, counter }: ProbeOptions): Receiver {
  // A running receiver cannot be reconfigured for a case.
  const targetFor: Receiver["targetFor"] = (needs) => (Object.keys(needs).length > 0 ? undefined : url);
  if (counter === undefined) return { concurrency: defaultConcurrency, targetFor };
  const countHandlerRuns = async () => {
    const response = await fetch(counter, { signal: AbortSignal.timeout(5_000) });
    return Number(await response.text());
  };
  // The counter cannot tell concurrent cases apart.
  return { concurrency: 1, targetFor, count: countHandlerRuns };
}

/** Returns the test vectors' configuration with the receiver's secrets. */
function toConfig({ config }: TestVectors, { scheme, secret, previousSecret }: ProbeOptions): TestVectors["config"] {
  // A valid secret that is not the receiver's.
  const wrongSecret =
    scheme === "standardWebhooks" ? `whsec_${Buffer.alloc(32, 7).toString("base64")}` : (config.secrets.wrong ?? "");
  return { ...config, secrets: { current: secret, previous: previousSecret ?? "", wrong: wrongSecret } };
}
