import { isDeepStrictEqual } from "node:util";
import { challenges, type Scheme } from "../signature/sign-request.ts";
import { fillIn } from "../vectors/request.ts";
import { type ExpectedResponse, type TestVectors, toSteps } from "../vectors/vectors.ts";
import type { WireResponse } from "../wire/read-responses.ts";
import type { SentCase } from "./send.ts";

/** A status, or a connection that was closed without a response. */
export type Status = number | "closed";

/** One difference between what the receiver did and what the test vector expects. */
export interface Mismatch {
  kind: "status" | "handled" | "leak" | "failure" | "header" | "body" | "given" | "reason" | "refusal";
  text: string;
  /** The index of the request, from 0. */
  step?: number;
  /** The expected statuses. Set, like `got`, only if `kind` is `status`. */
  allowed?: Status[];
  got?: Status;
}

/** A case that was sent, and how its responses differ from the test vector. */
export interface ComparedCase extends SentCase {
  mismatches: Mismatch[];
}

/** Compares the responses in each case with the test vector, and the bodies of all 401 responses with each other. */
export function compareCases(
  { config, scheme }: { config: TestVectors["config"]; scheme: Scheme },
  sentCases: readonly SentCase[],
): ComparedCase[] {
  const usualBody = findMostCommonRefusalBody(sentCases);
  return sentCases.map((sentCase) => {
    const mismatches = compareCase(config, sentCase, scheme);
    if (findRefusalBodies(sentCase).some((body) => body !== usualBody))
      mismatches.push({ kind: "refusal", text: "a 401 with a different body from the other 401 responses" });
    return { ...sentCase, mismatches };
  });
}

/** Returns the most common 401 body. A different body would reveal which check failed (D-17). */
function findMostCommonRefusalBody(sentCases: readonly SentCase[]): string | undefined {
  const counts = new Map<string, number>();
  for (const body of sentCases.flatMap(findRefusalBodies)) counts.set(body, (counts.get(body) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

/** Returns the bodies of 401 responses, without the parts that vary between requests, such as an id. A response to HEAD has no body. */
const findRefusalBodies = ({ responses, requests }: SentCase): string[] =>
  responses.flatMap((response, index) => {
    if (response?.status !== 401 || requests[index]?.toString("latin1", 0, 5) === "HEAD ") return [];
    return [response.body.replaceAll(/[\da-f]{6,}|\d+/gi, "#")];
  });

const failureTexts = {
  no_response: "did not respond in time",
  response_too_large: "sent more than 4 MiB",
  extra_response: "sent more responses than requests",
};

function compareCase(config: TestVectors["config"], sentCase: SentCase, scheme: Scheme): Mismatch[] {
  const { testCase, responses, failure } = sentCase;
  if (failure !== undefined) return [{ kind: "failure", text: failureTexts[failure] }];
  const steps = toSteps(testCase);
  // A request may have several correct responses. The combination with the fewest mismatches counts.
  let combinations: ExpectedResponse[][] = [[]];
  for (const step of steps) {
    const alternatives = [step.response].flat();
    combinations = combinations.flatMap((combination) => alternatives.map((expected) => [...combination, expected]));
  }
  const reasons = steps.flatMap(({ reason }) => reason ?? []);
  const candidates = combinations.map((combination) => [
    ...combination.flatMap((expected, step) => compareResponse(expected, responses[step], step, scheme)),
    ...compareRecord(combination, reasons, sentCase),
  ]);
  const [best = []] = candidates.sort((a, b) => a.length - b.length);
  return [...best, ...findLeaks(config, sentCase)];
}

function compareResponse(
  expected: ExpectedResponse,
  response: WireResponse | undefined,
  step: number,
  scheme: Scheme,
): Mismatch[] {
  const got = response?.status ?? "closed";
  const allowed = [expected.status].flat();
  if (!allowed.includes(got))
    return [{ kind: "status", text: `expected ${allowed.join(" or ")}, got ${got}`, step, allowed, got }];
  // The connection was closed without a response, as expected.
  if (!response) return [];
  const wwwAuthenticate = response.status === 401 ? { "www-authenticate": challenges[scheme] } : {};
  const mismatches = Object.entries({ ...wwwAuthenticate, ...expected.headers }).flatMap(
    ([name, value]): Mismatch[] => {
      const header = response.headers.get(name);
      if (headerMatches(value, header)) return [];
      return [{ kind: "header", text: `${name}: expected ${value}, got ${header}`, step }];
    },
  );
  if (expected.json === undefined || isDeepStrictEqual(parseJson(response.body), expected.json)) return mismatches;
  return [...mismatches, { kind: "body", text: "the body is not as expected", step }];
}

/**
 * Compares a header value with the expected value, ignoring parameters and the order of list items. If `expected` is a boolean, only checks
 * whether the header is present.
 */
function headerMatches(expected: string | boolean, got: string | undefined): boolean {
  if (typeof expected === "string") return normaliseHeader(expected) === normaliseHeader(got ?? "");
  const isPresent = got !== undefined;
  return isPresent === expected;
}

const normaliseHeader = (value: string): string =>
  (value.toLowerCase().split(";")[0] ?? "")
    .split(",")
    .map((item) => item.trim())
    .sort()
    .join();

/** Compares what the receiver recorded, if anything, with the expected handler runs, their arguments and the reasons for rejections. */
function compareRecord(
  expectedResponses: ExpectedResponse[],
  reasons: string[],
  { recorded, unique }: SentCase,
): Mismatch[] {
  if (!recorded) return [];
  const expectedHandledCount = expectedResponses.reduce((sum, response) => sum + response.handled, 0);
  if (expectedHandledCount !== recorded.handled)
    return [{ kind: "handled", text: `expected ${expectedHandledCount} handled, got ${recorded.handled}` }];
  const expectedArguments = expectedResponses.flatMap((response) =>
    response.given === undefined ? [] : [JSON.parse(fillIn(JSON.stringify(response.given), { unique })) as unknown],
  );
  const mismatches: Mismatch[] = [];
  if (expectedArguments.length > 0 && recorded.given && !isDeepStrictEqual(recorded.given, expectedArguments))
    mismatches.push({
      kind: "given",
      text: `expected ${JSON.stringify(expectedArguments)}, got ${JSON.stringify(recorded.given)}`,
    });
  if (reasons.length > 0 && recorded.reasons && !isDeepStrictEqual(recorded.reasons, reasons))
    mismatches.push({
      kind: "reason",
      text: `expected the reasons ${reasons.join(", ")}, got ${recorded.reasons.join(", ")}`,
    });
  return mismatches;
}

/** Returns a mismatch for each response that contains a secret, a digest, or a string in `config.never`. */
const findLeaks = (config: TestVectors["config"], { responses, secrets }: SentCase): Mismatch[] =>
  responses.flatMap((response, step) => {
    const text = response ? [response.body, ...response.headers.values()].join("\n") : "";
    const isLeak = [...config.never, ...secrets].some((word) => word !== "" && text.includes(word));
    return isLeak ? [{ kind: "leak" as const, text: "echoes data that must not be in a response", step }] : [];
  });

/** Parses a body that was decoded as ISO 8859-1. @returns undefined if it is not JSON */
function parseJson(body: string): unknown {
  try {
    // JSON is encoded in UTF-8.
    return JSON.parse(Buffer.from(body, "latin1").toString());
  } catch {
    return undefined;
  }
}
