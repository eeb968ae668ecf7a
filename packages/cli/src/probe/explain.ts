import {
  findings as catalogue,
  type Explanation,
  type FindingCode,
  type Shows,
  type Step,
  toSteps,
} from "../vectors/vectors.ts";
import type { WireResponse } from "../wire/read-responses.ts";
import type { ComparedCase, Mismatch, Status } from "./compare.ts";
import { findEndpoint } from "./select.ts";
import { defaultConcurrency, type SentCase } from "./send.ts";
import { isSuggestionList } from "./suggestions.ts";

/** A receiver's defect or difference, and the cases that show it. */
export interface Finding {
  code: FindingCode;
  severity: Explanation["severity"];
  evidence: Evidence[];
}

/** A case that shows a finding. */
export interface Evidence {
  id: string;
  title: string;
  /** The expected and the actual response. */
  text: string;
  /** The source of the expectation. */
  source?: string;
  /** The request, and the response if there was one. */
  sent: Buffer;
  received?: WireResponse;
}

/** Creates a finding from a code and the evidence for it. */
export const createFinding = (code: FindingCode, evidence: Evidence[]): Finding => ({
  code,
  severity: catalogue[code].severity,
  evidence,
});

/** Returns the findings for all mismatches and for timing, most serious first. */
export function collectFindings(
  compared: readonly ComparedCase[],
  timingFindings: readonly { code: FindingCode; evidence: Evidence }[] = [],
): Finding[] {
  const evidenceByCode = new Map<FindingCode, Evidence[]>();
  const add = (code: FindingCode, evidence: Evidence) =>
    evidenceByCode.set(code, [...(evidenceByCode.get(code) ?? []), evidence]);
  const casesAtStop = findCasesAtStop(compared);
  for (const sentCase of casesAtStop)
    add("receiver_stopped", toEvidence(sentCase, "connections have been refused since"));
  const classified = compared
    .filter((sentCase) => !sentCase.isConnectionRefused && !casesAtStop.includes(sentCase))
    .map((sentCase) => ({
      ...sentCase,
      codes: sentCase.mismatches.map((mismatch) => classifyMismatch(sentCase, mismatch)),
    }));
  const defectCaseIds = new Set(classified.filter(showsItsDefect).map(({ testCase }) => testCase.id));
  for (const sentCase of classified) {
    for (const [index, mismatch] of sentCase.mismatches.entries()) {
      const code = findPreciseCode(sentCase, mismatch, sentCase.codes[index] ?? "other_response", defectCaseIds);
      add(code, toEvidence(sentCase, mismatch.text, mismatch.step));
    }
    const slowCode = findSlowCode(sentCase);
    if (slowCode !== undefined)
      add(slowCode, toEvidence(sentCase, `the response took ${(longestMs(sentCase) / 1000).toFixed(1)} s`));
  }
  for (const { code, evidence } of timingFindings) add(code, evidence);
  // The catalogue lists the most serious findings first.
  const codes = Object.keys(catalogue) as FindingCode[];
  return codes.flatMap((code) => {
    const evidence = evidenceByCode.get(code);
    return evidence ? [createFinding(code, evidence)] : [];
  });
}

/** Returns the cases that were in progress when the receiver stopped. One of them is the cause. Empty if the receiver did not stop. */
function findCasesAtStop(compared: readonly ComparedCase[]): readonly ComparedCase[] {
  const firstRefused = compared.findIndex(({ isConnectionRefused }) => isConnectionRefused);
  if (firstRefused < 0) return [];
  const unansweredCases = compared
    .slice(Math.max(0, firstRefused - defaultConcurrency))
    .filter(({ isConnectionRefused, responses }) => !isConnectionRefused && responses.includes(undefined));
  return unansweredCases.length > 0 ? unansweredCases : compared.slice(firstRefused, firstRefused + 1);
}

/** Whether a case shows the finding that it was written for. */
const showsItsDefect = ({ testCase, codes }: ComparedCase & { codes: readonly FindingCode[] }): boolean =>
  toSteps(testCase).some(({ shows }) => codes.some((code) => code === shows?.accepted || code === shows?.refused));

/** Returns the more precise code in `ifAlso` if one of its cases failed too, otherwise the same code. */
function findPreciseCode(
  { testCase }: ComparedCase,
  { step = 0 }: Mismatch,
  code: FindingCode,
  defectCaseIds: ReadonlySet<string>,
): FindingCode {
  const { accepted, refused, ifAlso = {} } = toSteps(testCase)[step]?.shows ?? {};
  if (code !== accepted && code !== refused) return code;
  return Object.entries(ifAlso).find(([id]) => defectCaseIds.has(id))?.[1] ?? code;
}

function classifyMismatch(
  { testCase, responses, failure }: ComparedCase,
  { kind, step: index = 0, allowed = [], got }: Mismatch,
): FindingCode {
  const step = toSteps(testCase)[index];
  if (step === undefined) return "other_response";
  if (kind === "leak") return "secret_leaked";
  if (kind === "handled") return "wrong_handling";
  if (kind === "refusal") return "distinct_refusals";
  if (kind === "body" && !isSuggestionList(responses[index]?.body ?? "")) return "invalid_suggestions";
  if (kind === "failure" && failure !== undefined) return classifyFailure(step, failure);
  if (kind !== "status" || got === undefined) return "other_response";
  return classifyStatus(step, allowed, got) ?? "other_response";
}

/**
 * Returns the finding that a status shows (D-104), or undefined if the response is harmless. The test vectors are stricter than a receiver
 * must be. For example, a 403 instead of a 401 is harmless, and so is an accepted notation that nobody can send without the secret.
 */
export function classifyStatus(
  { request, shows = {} }: Pick<Step, "request" | "shows">,
  allowed: readonly Status[],
  got: Status,
): FindingCode | undefined {
  if (got === 410 && findEndpoint(request) !== undefined) return "endpoint_disabled";
  if (allowed.some(isSuccess)) return classifyRefusal(request.method, shows, allowed, got);
  if (isSuccess(got)) return shows.accepted;
  if (isFailure(got)) return shows.failed ?? (allowed.includes(401) ? "error_on_bad_signature" : "server_error");
  // PHP's built-in server closes the connection if a body does not arrive. A server need not respond to bytes that are not HTTP.
  const mayClose = shows.mayGoUnanswered || [400, 413].some((status) => allowed.includes(status));
  if (got === "closed") return mayClose ? undefined : "no_response";
  return got >= 400 && got < 500 && got !== 403 ? shows.refusedOtherwise : undefined;
}

/** Returns the finding for a receiver that does not accept a request that it must accept. */
function classifyRefusal(
  method = "GET",
  { refused, unauthorized, failed = "server_error" }: Shows,
  allowed: readonly Status[],
  got: Status,
): FindingCode | undefined {
  // The service sends only GET and POST.
  if (isSuccess(got))
    return allowed.includes(200) && ["GET", "POST"].includes(method) ? "wrong_success_status" : undefined;
  if (refused !== undefined && got !== "closed" && got >= 300 && got < 400) return "redirected";
  if (unauthorized !== undefined && (got === 401 || got === 403)) return unauthorized;
  if (refused !== undefined && refused !== "valid_request_refused") return refused;
  if (isFailure(got)) return failed;
  return refused !== undefined && got === "closed" ? "no_response" : refused;
}

function classifyFailure({ shows = {} }: Step, failure: NonNullable<SentCase["failure"]>): FindingCode {
  // Fastify sends a second response when a connection ends before the request is complete.
  if (shows.mayGoUnanswered) return failure === "response_too_large" ? "unusual_response" : "other_response";
  return failure === "no_response" ? (shows.silent ?? "no_response") : "unusual_response";
}

const isSuccess = (status: Status): boolean => status !== "closed" && status >= 200 && status < 300;

/** Rejecting a method or transfer coding (501) or an HTTP version (505) is not a failure. */
const isFailure = (status: Status): boolean => status !== "closed" && status >= 500 && status !== 501 && status !== 505;

/** A check may take 5 seconds (D-25). */
export const checkTimeoutMs = 5_000;

/** Returns a finding if the response was late although the receiver needed only the head of the request. */
function findSlowCode(sentCase: SentCase): FindingCode | undefined {
  const shows = toSteps(sentCase.testCase)[0]?.shows;
  if (sentCase.failure !== undefined || shows?.mayGoUnanswered) return undefined;
  return longestMs(sentCase) > checkTimeoutMs ? shows?.slow : undefined;
}

const longestMs = ({ durationsMs }: SentCase): number => Math.max(...durationsMs);

function toEvidence({ testCase, requests, responses }: SentCase, text: string, step = 0): Evidence {
  const received = responses[step];
  return {
    id: testCase.id,
    title: testCase.title,
    source: testCase.why,
    text,
    sent: requests[step] ?? Buffer.alloc(0),
    ...(received && { received }),
  };
}
