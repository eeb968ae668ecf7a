import { checkTimeoutMs, classifyStatus } from "../probe/explain.ts";
import { findAcceptedVariant, type Precision } from "../probe/signing-variants.ts";
import { isSuggestionList } from "../probe/suggestions.ts";
import type { Scheme } from "../signature/sign-request.ts";
import { type ExplainedFinding, explain, type FindingCode, type Shows } from "../vectors/vectors.ts";
import type { TriggerEvent } from "./events.ts";
import type { TestRequest, TestWay } from "./ways.ts";

/** The response to one request of a test event. */
export interface TestOutcome {
  /** `"closed"` if there was no response. */
  status: number | "closed";
  /** The response body, decoded as ISO 8859-1. */
  body: string;
  /** How long the response took. */
  durationMs: number;
}

/** What a response shows about a receiver. */
export interface TestVerdict {
  /** Whether the response is correct, apart from harmless differences. */
  isRight: boolean;
  /** The expected and the actual response, as one sentence. */
  text: string;
  /** The finding, if the response shows one. */
  finding?: ExplainedFinding;
}

/** The expected statuses. For an unreadable request, any other rejection is correct too, because the service then retries. */
const expectedStatuses: Readonly<Record<TestWay["expects"], readonly TestOutcome["status"][]>> = {
  acknowledged: [200],
  refused: [401, 403],
  unreadable: [400],
};

const expectations = {
  acknowledged: "200",
  refused: "401",
  unreadable: "a rejection, such as 400, 404 or 405",
} as const;

/** Judges the response to a request of a test event the way `offers probe` does. */
export function judgeTestEvent(
  event: TriggerEvent,
  way: TestWay,
  request: TestRequest,
  outcome: TestOutcome,
): TestVerdict {
  const { status, body, durationMs } = outcome;
  const actual = status === "closed" ? "no response" : `${status}`;
  const text = `Expected ${expectations[way.expects]}; got ${actual}.`;
  const code = classifyOutcome(event, way, request, outcome);
  if (code !== undefined) {
    const finding = explain(code);
    return { isRight: finding.severity !== "defect", text, finding };
  }
  const isSearch = event.name === "contact-suggestions" && way.expects === "acknowledged" && status === 200;
  if (isSearch && !isSuggestionList(body)) {
    const finding = explain("invalid_suggestions");
    return { isRight: false, text: "Got 200 with a body that is not a list of suggestions.", finding };
  }
  // The service waits longer for the response to an event (D-25).
  const { slow } = way.shows;
  if (event.isRequest && slow !== undefined && durationMs > checkTimeoutMs)
    return { isRight: false, text: `The response took ${(durationMs / 1000).toFixed(1)} s.`, finding: explain(slow) };
  const isSuccess = status !== "closed" && status >= 200 && status < 300;
  const isRight = way.expects === "acknowledged" ? status === 200 : !isSuccess;
  if (!isRight) return { isRight, text };
  return { isRight, text: status === 200 ? "Acknowledged with 200." : `Rejected with ${status}, as expected.` };
}

function classifyOutcome(
  { name, path }: TriggerEvent,
  { expects, shows }: TestWay,
  request: TestRequest,
  { status }: TestOutcome,
): FindingCode | undefined {
  const eventShows: Shows = name === "test" ? { ...shows, unauthorized: "test_needs_authentication" } : shows;
  if (expects === "acknowledged" && status === 404) {
    if (name === "test-auth") return "auth_check_missing";
    if (name === "worker-offer-response") return "event_endpoint_missing";
  }
  // A server may close the connection if it does not understand the request.
  if (expects !== "acknowledged" && status === "closed") return shows.silent ?? "no_response";
  const statuses = expectedStatuses[expects];
  if (statuses.includes(status)) return undefined;
  return classifyStatus({ request: { method: request.method, target: path }, shows: eventShows }, statuses, status);
}

/** Returns each distinct finding from several ways of sending, except findings that follow from an earlier finding. */
export function distinctFindings(
  results: readonly {
    /** How the event was sent. */
    way: TestWay;
    /** One verdict per request. */
    verdicts: readonly TestVerdict[];
  }[],
): ExplainedFinding[] {
  const earlierFindings = new Map<string, ExplainedFinding>();
  const hasPlainEventFailed = results.some(
    ({ way, verdicts }) => way.name === "as-sent" && !verdicts.every(({ isRight }) => isRight),
  );
  for (const { way, verdicts } of results)
    for (const { finding } of verdicts) {
      if (finding === undefined || isImplied(way, finding, earlierFindings)) continue;
      // The other ways of sending a valid request fail for the same reason.
      if (hasPlainEventFailed && way.expects === "acknowledged" && way.name !== "as-sent") continue;
      earlierFindings.set(finding.code, finding);
    }
  return [...earlierFindings.values()];
}

/** Whether a finding follows from an earlier one. */
function isImplied(
  { name, expects, shows }: TestWay,
  { code }: ExplainedFinding,
  earlierFindings: ReadonlyMap<string, ExplainedFinding>,
): boolean {
  // A receiver that verifies nothing accepts every forgery.
  if (earlierFindings.has("unsigned_accepted") && name !== "unsigned")
    return expects === "refused" && shows.accepted === code;
  // A receiver that does not check the age accepts a replay even without a second Timestamp.
  if (earlierFindings.has("old_timestamp_accepted") && code === "second_timestamp_accepted") return true;
  // A receiver that serialises the body again cannot notice different white space.
  if (earlierFindings.has("serialised_body") && name === "altered-body") return true;
  // A Timestamp without seconds may be 59 seconds older than the time of signing.
  return earlierFindings.has("tolerance_too_small") && name === "to-the-minute";
}

/** Small servers queue only five connections. Additional connections wait for a second. */
const variantConcurrency = 4;

/**
 * Tries signatures with common mistakes on `GET /test/auth`, which creates no work, and returns the mistake that the receiver accepts.
 *
 * @param send sends a request and returns the response status; undefined if there is no response
 * @param precision the precision of the Timestamp that the receiver rejects
 * @returns the mistake; undefined if the receiver accepts none of the signatures, or cannot be reached in time
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
