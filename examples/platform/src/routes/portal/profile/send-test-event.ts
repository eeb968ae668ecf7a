import { randomUUID } from "node:crypto";
import {
  distinctFindings,
  type ExplainedFinding,
  explain,
  fillEvent,
  findSigningMistake,
  judgeTestEvent,
  type Scheme,
  type TestRequest,
  type TestVerdict,
  type TestWay,
  type TriggerEvent,
  testEvents,
  testWays,
  toShellCommand,
  uniqueFields,
  waysFor,
  writeTestRequests,
} from "@offers/cli/test-events";
import { attemptTimeoutMs, requestTimeoutMs } from "@offers/contract/decisions";
import { nullAsAbsent } from "@offers/contract/received-values";
import { z } from "zod";
import type { EndpointResult } from "../../../endpoint-client/endpoint-client.ts";
import { extractSignatures } from "../../../endpoint-client/mask-echoes.ts";
import { textField, truncateUtf8 } from "../../../http/fields.ts";
import { invalidRequest } from "../../../http/problem.ts";
import { decryptSecrets } from "../../../store/encrypt.ts";
import type { EndpointScheme } from "../../../store/tables.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";
import { checkSecretForScheme, requireSavedEndpoint, secretField } from "./check-endpoint.ts";

export const everyWay = "every";

const namesOf = <Item extends { name: string }>(items: readonly Item[]) =>
  items.map(({ name }) => name) as [string, ...string[]];

export const testEventSchema = nullAsAbsent(
  z.strictObject({
    event: z.enum(namesOf(testEvents)),
    way: z.enum([everyWay, ...namesOf(testWays)]),
    // Omit both to use the saved endpoint. A URL must not receive signatures made with a secret unknown to its owner (D-41).
    baseAddress: textField.optional(),
    secret: secretField.optional(),
    scheme: z.enum(["timestampDigest", "timestampDigestAndStandardWebhooks"]).optional(),
  }),
);

/** A request with its response, formatted for the page, without the secret and its signatures. */
export interface TestExchange {
  request: string;
  response: string;
  command: string;
  milliseconds: number;
  verdict: TestVerdict;
}

interface SentWay {
  way: TestWay;
  exchanges: TestExchange[];
}

export interface TestEventResult {
  event: TriggerEvent;
  baseAddress: string;
  ways: SentWay[];
  /** The distinct problems, most basic first. */
  findings: (ExplainedFinding & { accepted?: string })[];
}

interface Target {
  baseAddress: string;
  scheme: EndpointScheme;
  secret: string;
}

/**
 * Sends a test event to the saved endpoint, or to a different URL with a separate secret, and judges each response as `offers probe` does
 * (D-148). Stores nothing. The requests pass through the SSRF guard, as deliveries do.
 *
 * @throws {ProblemError} `invalid_request`, or `profile_missing`
 */
export async function sendTestEvent(
  deps: PortalDeps,
  { organisationId }: SignedInPerson,
  input: z.infer<typeof testEventSchema>,
): Promise<TestEventResult> {
  const target = await resolveTarget(deps, organisationId, input);
  // The schema accepts only the names of test events, so `find` always succeeds.
  const event = testEvents.find(({ name }) => name === input.event) ?? testEvents[0];
  if (event === undefined) throw invalidRequest(new Map([["event", ["Choose an event from the list."]]]));
  const scheme: Scheme = target.scheme === "timestampDigest" ? "timestampDigest" : "standardWebhooks";
  const run: TestRun = { target, event, scheme };
  const ways = await sendWays(deps, run, chooseWays(run, input.way));
  return { event, baseAddress: target.baseAddress, ways, findings: await collectFindings(deps, run, ways) };
}

interface TestRun {
  target: Target;
  event: TriggerEvent;
  scheme: Scheme;
}

const createWebhook = (event: TriggerEvent) => fillEvent(event, uniqueFields(event), randomUUID());

/** Returns the chosen ways to send the event. @throws {ProblemError} `invalid_request` if the event does not support the way */
function chooseWays({ event, scheme }: TestRun, wayName: string): readonly TestWay[] {
  const choices = waysFor(createWebhook(event), scheme);
  const chosenWays = wayName === everyWay ? choices : choices.filter(({ name }) => name === wayName);
  if (chosenWays.length > 0) return chosenWays;
  const titles = choices.map(({ title }) => title).join("; ");
  throw invalidRequest(new Map([["way", [`Choose one of the ways to send this webhook: ${titles}.`]]]));
}

/** Sends the event in each way, one after another, until the time is up or the receiver does not respond. */
async function sendWays(
  deps: PortalDeps,
  { target, event, scheme }: TestRun,
  chosenWays: readonly TestWay[],
): Promise<SentWay[]> {
  const timeoutMs = event.isRequest ? requestTimeoutMs : attemptTimeoutMs;
  const sentWays: SentWay[] = [];
  const startedAt = performance.now();
  for (const way of chosenWays) {
    if (performance.now() - startedAt > maxTotalMs) break;
    const signing = { scheme, secret: target.secret, now: deps.now() };
    const exchanges: TestExchange[] = [];
    for (const request of writeTestRequests(way, createWebhook(event), signing)) {
      const result = await send(deps, target, request, timeoutMs);
      exchanges.push({
        request: formatRequest(target, request),
        response: formatResponse(result),
        command: toShellCommand(request, target.baseAddress, scheme),
        milliseconds: result.durationMs,
        verdict: judge(event, way, request, result),
      });
    }
    const sentWay = { way, exchanges };
    sentWays.push(sentWay);
    // The remaining requests would not get a response either, and would take just as long.
    if (hasNoResponse(sentWay)) break;
  }
  return sentWays;
}

/** Collects the distinct problems. A signing mistake or a stopped receiver replaces the findings that it explains. */
async function collectFindings(
  deps: PortalDeps,
  { target, event, scheme }: TestRun,
  ways: readonly SentWay[],
): Promise<TestEventResult["findings"]> {
  const findings: TestEventResult["findings"] = distinctFindings(
    ways.map(({ way, exchanges }) => ({ way, verdicts: exchanges.map(({ verdict }) => verdict) })),
  );
  const rejectedWay = event.isUnsigned
    ? undefined
    : ["as-sent", "to-the-minute"].find((name) => isWronglyRejected(ways, name));
  const precision = rejectedWay === "to-the-minute" ? "minute" : "ms";
  const diagnosis = rejectedWay === undefined ? undefined : await diagnoseSignature(deps, target, scheme, precision);
  // A receiver that accepts the request as sent computes signatures correctly, unless it reformats the date.
  const mistake = rejectedWay === "as-sent" || diagnosis?.code === "reformatted_date" ? diagnosis : undefined;
  const hasStopped =
    ways.length > 1 && hasNoResponse(ways.at(-1)) && (await sendReachabilityTest(deps, target)) === undefined;
  const isReplaced = (code: string) =>
    (hasStopped && code === "no_response") ||
    (mistake !== undefined && /^(valid_request_refused|precision_refused|empty_secret_accepted)$/.test(code));
  return [
    ...(hasStopped ? [explain("receiver_stopped")] : []),
    ...(mistake ? [mistake] : []),
    ...findings.filter(({ code }) => !isReplaced(code)),
  ];
}

/** Limits how long the user waits for the page. */
const maxTotalMs = 30_000;
const maxShownBytes = 1_024;

/** Failure codes of requests that did not reach the receiver. */
const unreachedCodes =
  /^(invalid_address|forbidden_address|name_not_found|connection_refused|connect_timeout|tls_failed)$/;

function judge(event: TriggerEvent, way: TestWay, request: TestRequest, result: EndpointResult): TestVerdict {
  const isReached = result.ok || !unreachedCodes.test(result.code);
  if (isReached) return judgeTestEvent(event, way, request, toOutcome(result));
  return { isRight: false, text: "Your endpoint could not be reached." };
}

/** Returns the URL and the secret from the form or, if they were not entered, from the saved endpoint. */
async function resolveTarget(
  deps: PortalDeps,
  organisationId: string,
  { baseAddress, secret, scheme }: z.infer<typeof testEventSchema>,
): Promise<Target> {
  if (baseAddress !== undefined && secret !== undefined) {
    const target = { baseAddress, secret, scheme: scheme ?? "timestampDigest" };
    checkSecretForScheme(target.scheme, target.secret);
    return target;
  }
  if (secret !== undefined)
    throw invalidRequest(new Map([["baseAddress", ["Enter the base URL that this secret belongs to."]]]));
  const saved = await requireSavedEndpoint(deps, organisationId);
  if (baseAddress !== undefined && baseAddress !== saved.baseAddress)
    throw invalidRequest(new Map([["secret", ["This base URL differs from the saved one. Enter its secret."]]]));
  const secrets = decryptSecrets(saved, deps.encryptionKey, organisationId, deps.now());
  return { baseAddress: saved.baseAddress, scheme: saved.scheme, secret: secrets.secret };
}

/** Sends the request as a delivery is sent, but with its own headers and body. Adds only `connectionHeaders`. */
function send(
  { endpointClient }: PortalDeps,
  { baseAddress, secret }: Target,
  { method, path, headers, body }: TestRequest,
  timeoutMs: number,
): Promise<EndpointResult> {
  const headerPairs = headers.map(({ name, value }) => [name, value] as const);
  const signatures = headerPairs.flatMap(([name, value]) => extractSignatures({ [name]: value }));
  return endpointClient.send({
    method,
    baseAddress,
    path,
    raw: { headers: [...connectionHeaders, ...headerPairs], body },
    confidential: { signatures, secrets: [secret] },
    timeoutMs,
  });
}

const connectionHeaders = [
  ["Accept", "application/json"],
  ["Accept-Encoding", "identity"],
  ["User-Agent", "offers-platform"],
] as const;

const toOutcome = (result: EndpointResult) => ({
  status: result.ok ? result.status : ("closed" as const),
  // Latin-1 preserves every byte.
  body: result.ok ? result.body.toString("latin1") : "",
  durationMs: result.durationMs,
});

/** Formats a request and masks its signature, which would be valid for five minutes. */
function formatRequest({ baseAddress }: Target, { method, path, headers, body }: TestRequest): string {
  const lines = headers.map(({ name, value, shell }) => {
    const isSignedWithSecret = shell !== undefined && /^(authorization|webhook-signature)$/i.test(name);
    return `${name}: ${isSignedWithSecret ? value.replaceAll(/(hmac |v1,)[^ ,]+/g, "$1***") : value}`;
  });
  const head = [`${method} ${baseAddress.replace(/\/+$/, "")}${path}`, ...lines].join("\n");
  return body.length === 0 ? head : `${head}\n\n${body.toString()}`;
}

const noResponse = "No response";

function formatResponse(result: EndpointResult): string {
  if (!result.ok) return `${noResponse}: ${result.reason}.`;
  const { status, contentType, body } = result;
  const head = contentType === undefined ? String(status) : `${status}\nContent-Type: ${contentType}`;
  return body.length === 0 ? head : `${head}\n\n${truncateUtf8(body, maxShownBytes)}`;
}

/** Returns whether the receiver incorrectly responded with 401 or 403 to a request that was sent in this way. */
const isWronglyRejected = (ways: readonly SentWay[], wayName: string): boolean =>
  ways.some(
    ({ way, exchanges }) =>
      way.name === wayName && exchanges.some(({ response, verdict }) => !verdict.isRight && /^40[13]\b/.test(response)),
  );

const hasNoResponse = (way: SentWay | undefined): boolean =>
  way?.exchanges.every(({ response }) => response.startsWith(noResponse)) ?? false;

/** Sends a request. Resolves with the response status, or with undefined if the endpoint does not respond. */
async function sendForStatus(deps: PortalDeps, target: Target, request: TestRequest): Promise<number | undefined> {
  const result = await send(deps, target, request, requestTimeoutMs);
  return result.ok ? result.status : undefined;
}

const sendReachabilityTest = (deps: PortalDeps, target: Target): Promise<number | undefined> =>
  sendForStatus(deps, target, { method: "GET", path: "/test", headers: [], body: Buffer.of() });

/** Sends many requests to find the receiver's signing mistake, but only if the receiver responds to `GET /test` with 200. */
async function diagnoseSignature(deps: PortalDeps, target: Target, scheme: Scheme, precision: "ms" | "minute") {
  if ((await sendReachabilityTest(deps, target)) !== 200) return undefined;
  const startedAt = performance.now();
  const sendWithinTimeLimit = async (request: TestRequest): Promise<number | undefined> =>
    performance.now() - startedAt > maxDiagnosisMs ? undefined : sendForStatus(deps, target, request);
  return findSigningMistake(scheme, target.secret, sendWithinTimeLimit, precision);
}

const maxDiagnosisMs = 10_000;
