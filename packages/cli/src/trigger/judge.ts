import { type Explanation, type FindingCode, findings, type Shows } from "../corpus/corpus.ts";
import { checkTimeoutMs, classifyStatus } from "../probe/explain.ts";
import { type Precision, type SigningVariant, signingVariants } from "../probe/signing-variants.ts";
import { isSuggestionList } from "../probe/suggestions.ts";
import type { Scheme } from "../signature/sign-request.ts";
import type { TriggerEvent } from "./events.ts";
import type { TestRequest, TestWay } from "./ways.ts";

/** The response to one request of a test event. */
export interface TestOutcome {
  /** `"closed"` without a response. */
  status: number | "closed";
  /** Byte by byte, as ISO 8859-1. */
  body: string;
  /** How long the response took. */
  durationMs: number;
}

/** What a response shows about a receiver. */
export interface TestVerdict {
  /** Whether the response is correct. */
  isRight: boolean;
  /** The expected and the actual response, as one sentence. With a note, the response is correct. */
  text: string;
  /** The fault, if the response shows one. */
  finding?: Explanation & {
    /** The stable code of the finding. */
    code: string;
  };
}

/** Judges the response to each request of a test event, as `offers probe` does. */
export const judgeTestEvent = (
  event: TriggerEvent,
  way: TestWay,
  requests: readonly TestRequest[],
  outcomes: readonly TestOutcome[],
): TestVerdict[] => outcomes.map((outcome, index) => judge(event, way, requests[index], outcome));

/** What counts as correct; any rejection keeps an event whose body cannot be read. */
const allowed = { acknowledged: [200], refused: [401, 403], unreadable: [400] } as const;

const expectations = {
  acknowledged: "200",
  refused: "401",
  unreadable: "a rejection, such as 400, 404 or 405",
} as const;

function judge(event: TriggerEvent, way: TestWay, request: TestRequest | undefined, outcome: TestOutcome): TestVerdict {
  const { status, body, durationMs } = outcome;
  const came = status === "closed" ? "no response" : `${status}`;
  const text = `Expected ${expectations[way.expects]}, and got ${came}.`;
  const code = codeOf(event, way, request, outcome);
  if (code !== undefined)
    return { isRight: findings[code].severity !== "defect", text, finding: { code, ...findings[code] } };
  const isSearch = event.name === "contact-suggestions" && way.expects === "acknowledged" && status === 200;
  if (isSearch && !isSuggestionList(body)) {
    const finding = { code: "invalid_suggestions", ...findings.invalid_suggestions };
    return { isRight: false, text: "Got 200 with a body that is not a list of suggestions.", finding };
  }
  if (event.isRequest && way.name === "as-sent" && durationMs > checkTimeoutMs) {
    const finding = { code: "slow_response", ...findings.slow_response };
    return { isRight: false, text: `The response took ${(durationMs / 1000).toFixed(1)} s.`, finding };
  }
  const isSuccess = status !== "closed" && status >= 200 && status < 300;
  const isRight = way.expects === "acknowledged" ? status === 200 : !isSuccess;
  if (!isRight) return { isRight, text };
  return { isRight, text: status === 200 ? "Acknowledged with 200." : `Rejected with ${status}, as it must be.` };
}

function codeOf(
  { name, path }: TriggerEvent,
  { expects, shows }: TestWay,
  request: TestRequest | undefined,
  { status }: TestOutcome,
): FindingCode | undefined {
  const own: Shows = name === "test" ? { ...shows, unauthorized: "test_needs_authentication" } : shows;
  if (expects === "acknowledged" && status === 404) {
    if (name === "test-auth") return "auth_check_missing";
    if (name === "worker-offer-response") return "event_endpoint_missing";
  }
  // A server may close a connection whose request it does not understand.
  if (expects !== "acknowledged" && status === "closed") return shows.silent ?? "no_response";
  const statuses = [...allowed[expects]];
  if (statuses.some((each) => each === status)) return undefined;
  const step = { request: { method: request?.method ?? "GET", target: path }, shows: own };
  return classifyStatus({ ...step, response: { status: statuses, handled: 0 } }, statuses, status);
}

type Finding = NonNullable<TestVerdict["finding"]>;

/** The findings of several ways, each once. One that follows from another is omitted. */
export function distinctFindings(
  results: readonly {
    /** How the event was sent. */
    way: TestWay;
    /** One verdict per request. */
    verdicts: readonly TestVerdict[];
  }[],
): Finding[] {
  const shown = new Map<string, Finding>();
  const isPlainRefused = results.some(
    ({ way, verdicts }) => way.name === "as-sent" && !verdicts.every(({ isRight }) => isRight),
  );
  for (const { way, verdicts } of results)
    for (const { finding } of verdicts) {
      if (finding === undefined || follows(way, finding, shown)) continue;
      if (isPlainRefused && way.expects === "acknowledged" && way.name !== "as-sent") continue;
      shown.set(finding.code, finding);
    }
  return [...shown.values()];
}

/** Whether a finding follows from one that an earlier way has shown. */
function follows({ name, expects, shows }: TestWay, { code }: Finding, shown: ReadonlyMap<string, Finding>): boolean {
  // A receiver that verifies nothing accepts every forgery.
  if (shown.has("unsigned_accepted") && name !== "unsigned") return expects === "refused" && shows.accepted === code;
  // One that checks no age needs no second Timestamp.
  if (shown.has("old_timestamp_accepted") && code === "second_timestamp_accepted") return true;
  // To a receiver that serialises the body again, other white space is the same document.
  if (shown.has("serialised_body") && name === "altered-body") return true;
  // A minute may have started up to 59 seconds ago.
  return shown.has("tolerance_too_small") && name === "to-the-minute";
}

/** Small servers queue five connections; one that is not queued waits for a second. */
const variantsAtOnce = 4;

/**
 * Tries signatures with common mistakes on `GET /test/auth`, which creates no work, and names the one that the receiver accepts.
 *
 * @param send returns the status of the response
 * @param precision the precision of the Timestamp that the receiver rejects
 * @returns undefined if it accepts none, or the receiver cannot be reached in time
 */
export async function findSigningMistake(
  scheme: Scheme,
  secret: string,
  send: (request: TestRequest) => Promise<number | undefined>,
  precision: Precision = "ms",
): Promise<
  | (Explanation & {
      /** The stable code of the finding. */
      code: string;
      /** The signature that the receiver accepts, in words. */
      accepted: string;
    })
  | undefined
> {
  const variants = signingVariants(scheme, secret, Date.now(), precision);
  for (let from = 0; from < variants.length; from += variantsAtOnce) {
    const batch = variants.slice(from, from + variantsAtOnce);
    const statuses = await Promise.all(batch.map((variant) => send(toCheck(variant))));
    if (statuses.every((status) => status === undefined)) return undefined;
    const variant = batch[statuses.indexOf(200)];
    if (variant) return { code: variant.code, ...findings[variant.code], accepted: variant.accepted };
  }
  return undefined;
}

const toCheck = ({ headers }: SigningVariant): TestRequest => ({
  method: "GET",
  path: "/test/auth",
  headers: headers.map(([name, value]) => ({ name, value })),
  body: Buffer.of(),
});
