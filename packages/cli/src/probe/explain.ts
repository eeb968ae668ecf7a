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

/** A defect, note or difference, and the cases that show it. */
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

/** Evidence with the code of the finding that it shows. */
export interface CodedEvidence {
  code: FindingCode;
  evidence: Evidence;
}

/** Returns the findings for all mismatches, slow responses and timing cases, most serious first. */
export function collectFindings(
  comparedCases: readonly ComparedCase[],
  timingEvidence: readonly CodedEvidence[] = [],
): Finding[] {
  const casesAtStop = findCasesAtStop(comparedCases);
  const stopEvidence = casesAtStop.map(
    (sentCase): CodedEvidence => ({
      code: "receiver_stopped",
      evidence: toEvidence(sentCase, "connections have been refused since"),
    }),
  );
  const casesBeforeStop = comparedCases.filter(
    (sentCase) => !sentCase.isConnectionRefused && !casesAtStop.includes(sentCase),
  );
  const allEvidence = [...stopEvidence, ...collectEvidence(casesBeforeStop), ...timingEvidence];
  // The catalogue lists the most serious findings first.
  const codes = Object.keys(catalogue) as FindingCode[];
  return codes.flatMap((code) => {
    const evidenceForCode = allEvidence.filter((item) => item.code === code).map(({ evidence }) => evidence);
    return evidenceForCode.length > 0 ? [createFinding(code, evidenceForCode)] : [];
  });
}

/** A case with the finding that each of its mismatches shows on its own. */
interface ClassifiedCase extends ComparedCase {
  codedMismatches: { mismatch: Mismatch; code: FindingCode }[];
}

/** Returns the evidence in each mismatch and each slow response. */
function collectEvidence(comparedCases: readonly ComparedCase[]): CodedEvidence[] {
  const classifiedCases = comparedCases.map((sentCase): ClassifiedCase => {
    const codedMismatches = sentCase.mismatches.map((mismatch) => ({
      mismatch,
      code: classifyMismatch(sentCase, mismatch),
    }));
    return { ...sentCase, codedMismatches };
  });
  const defectCaseIds = new Set(classifiedCases.filter(showsItsDefect).map(({ testCase }) => testCase.id));
  return classifiedCases.flatMap((sentCase) => {
    const mismatchEvidence = sentCase.codedMismatches.map(({ mismatch, code }) => ({
      code: findPreciseCode(sentCase, mismatch, code, defectCaseIds),
      evidence: toEvidence(sentCase, mismatch.text, mismatch.step),
    }));
    const slowCode = findSlowCode(sentCase);
    if (slowCode === undefined) return mismatchEvidence;
    const text = `the response took ${(longestMs(sentCase) / 1000).toFixed(1)} s`;
    return [...mismatchEvidence, { code: slowCode, evidence: toEvidence(sentCase, text) }];
  });
}

/** Returns the cases that were in progress when the receiver stopped, one of which stopped it. Returns no cases if it did not stop. */
function findCasesAtStop(comparedCases: readonly ComparedCase[]): readonly ComparedCase[] {
  const firstRefusedIndex = comparedCases.findIndex(({ isConnectionRefused }) => isConnectionRefused);
  if (firstRefusedIndex < 0) return [];
  const unansweredCases = comparedCases
    // Cases are in the order in which they ended, so a concurrent case may come before the first refused one.
    .slice(Math.max(0, firstRefusedIndex - defaultConcurrency))
    .filter(({ isConnectionRefused, responses }) => !isConnectionRefused && responses.includes(undefined));
  return unansweredCases.length > 0 ? unansweredCases : comparedCases.slice(firstRefusedIndex, firstRefusedIndex + 1);
}

/** Whether a case shows the finding that it was written for. */
const showsItsDefect = ({ testCase, codedMismatches }: ClassifiedCase): boolean =>
  toSteps(testCase).some(({ shows }) =>
    codedMismatches.some(({ code }) => code === shows?.accepted || code === shows?.refused),
  );

/** Returns the more precise code in `ifAlso` if one of its cases failed too, otherwise `code`. */
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

/** Returns the finding that a mismatch shows on its own. */
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
 * Returns the finding that a status indicates (D-104), or undefined if the response is harmless. The test vectors are stricter than a
 * receiver needs to be. For example, it is harmless to respond with 403 instead of 401, or to accept an unusual notation in a request that
 * only a holder of the secret can sign.
 */
export function classifyStatus(
  { request, shows = {} }: Pick<Step, "request" | "shows">,
  allowed: readonly Status[],
  got: Status,
): FindingCode | undefined {
  if (got === 410 && findEndpoint(request) === "POST /offer/response") return "endpoint_disabled";
  if (allowed.some(isSuccess)) return classifyRefusal(request.method, shows, allowed, got);
  if (isSuccess(got)) return shows.accepted;
  if (isFailure(got)) return shows.failed ?? (allowed.includes(401) ? "error_on_bad_signature" : "server_error");
  // PHP's built-in server closes the connection if a body does not arrive. A server need not respond to bytes that are not HTTP.
  const mayClose = shows.mayGoUnanswered || [400, 413].some((status) => allowed.includes(status));
  if (got === "closed") return mayClose ? undefined : "no_response";
  return got >= 400 && got < 500 && got !== 403 ? shows.refusedOtherwise : undefined;
}

/** Returns the finding for a request that the receiver must accept but does not, or undefined if the response is harmless. */
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
  // For a request that is valid in every respect, a 5xx status or a closed connection has a more precise finding.
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

/** Returns the finding for a late response, unless the exchange failed or a server may wait for more bytes. */
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
