import { checkTimeoutMs, classifyStatus } from "../probe/explain.ts";
import { findAcceptedVariant, type Precision } from "../probe/signing-variants.ts";
import { isSuggestionList } from "../probe/suggestions.ts";
import type { Scheme } from "../signature/sign-request.ts";
import { type ExplainedFinding, explain, type FindingCode, type Shows } from "../vectors/vectors.ts";
import type { TriggerEvent } from "./events.ts";
import type { TestRequest, TestWay } from "./ways.ts";

/** The response to one request of a test event. */
export interface TestOutcome {
  /** `"closed"` without a response. */
  status: number | "closed";
  /** The body's bytes, decoded as ISO 8859-1. */
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
  finding?: ExplainedFinding;
}

/** The statuses that count as correct. Any rejection of an unreadable body is correct, because the service then retries. */
const allowed = { acknowledged: [200], refused: [401, 403], unreadable: [400] } as const;

const expectations = {
  acknowledged: "200",
  refused: "401",
  unreadable: "a rejection, such as 400, 404 or 405",
} as const;

/** Judges the response to a test event's request the way `offers probe` does. */
export function judgeTestEvent(
  event: TriggerEvent,
  way: TestWay,
  request: TestRequest,
  outcome: TestOutcome,
): TestVerdict {
  const { status, body, durationMs } = outcome;
  const actual = status === "closed" ? "no response" : `${status}`;
  const text = `Expected ${expectations[way.expects]}; got ${actual}.`;
  const code = codeOf(event, way, request, outcome);
  if (code !== undefined) {
    const finding = explain(code);
    return { isRight: finding.severity !== "defect", text, finding };
  }
  const isSearch = event.name === "contact-suggestions" && way.expects === "acknowledged" && status === 200;
  if (isSearch && !isSuggestionList(body)) {
    const finding = explain("invalid_suggestions");
    return { isRight: false, text: "Got 200 with a body that is not a list of suggestions.", finding };
  }
  const { slow } = way.shows;
  if (event.isRequest && slow !== undefined && durationMs > checkTimeoutMs)
    return { isRight: false, text: `The response took ${(durationMs / 1000).toFixed(1)} s.`, finding: explain(slow) };
  const isSuccess = status !== "closed" && status >= 200 && status < 300;
  const isRight = way.expects === "acknowledged" ? status === 200 : !isSuccess;
  if (!isRight) return { isRight, text };
  return { isRight, text: status === 200 ? "Acknowledged with 200." : `Rejected with ${status}, as expected.` };
}

function codeOf(
  { name, path }: TriggerEvent,
  { expects, shows }: TestWay,
  request: TestRequest,
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
  return classifyStatus({ request: { method: request.method, target: path }, shows: own }, statuses, status);
}

/** Returns the findings from several ways, each once, without those that follow from another. */
export function distinctFindings(
  results: readonly {
    /** How the event was sent. */
    way: TestWay;
    /** One verdict per request. */
    verdicts: readonly TestVerdict[];
  }[],
): ExplainedFinding[] {
  const shown = new Map<string, ExplainedFinding>();
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

/** Whether a finding follows from one that an earlier way showed. */
function follows(
  { name, expects, shows }: TestWay,
  { code }: ExplainedFinding,
  shown: ReadonlyMap<string, ExplainedFinding>,
): boolean {
  // A receiver that verifies nothing accepts every forgery.
  if (shown.has("unsigned_accepted") && name !== "unsigned") return expects === "refused" && shows.accepted === code;
  // A receiver that does not check the age can be replayed without a second Timestamp.
  if (shown.has("old_timestamp_accepted") && code === "second_timestamp_accepted") return true;
  // A receiver that serialises the body again cannot notice different white space.
  if (shown.has("serialised_body") && name === "altered-body") return true;
  // A minute may have started up to 59 seconds ago.
  return shown.has("tolerance_too_small") && name === "to-the-minute";
}

/** Small servers queue five connections; any further one waits for a second. */
const variantConcurrency = 4;

/**
 * Tries signatures with common mistakes on `GET /test/auth`, which creates no work, and returns the one that the receiver accepts.
 *
 * @param send returns the response's status
 * @param precision the precision of the Timestamp that the receiver rejects
 * @returns undefined if it accepts none, or the receiver cannot be reached in time
 */
export async function findSigningMistake(
  scheme: Scheme,
  secret: string,
  send: (request: TestRequest) => Promise<number | undefined>,
  precision: Precision = "ms",
): Promise<
  | (ExplainedFinding & {
      /** A description of the signature that the receiver accepts. */
      accepted: string;
    })
  | undefined
> {
  const variant = await findAcceptedVariant(
    { scheme, secret, precision },
    variantConcurrency,
    (headers) =>
      send({
        method: "GET",
        path: "/test/auth",
        headers: headers.map(([name, value]) => ({ name, value })),
        body: Buffer.of(),
      }),
    (statuses) => statuses.some((status) => status !== undefined),
  );
  return variant && { ...explain(variant.code), accepted: variant.accepted };
}
