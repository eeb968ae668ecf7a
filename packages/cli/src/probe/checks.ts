import { type Scheme, schemeNames } from "../signature/sign-request.ts";
import { UsageError } from "../terminal/output.ts";
import { buildRequest } from "../vectors/request.ts";
import type { FindingCode, TestVector, VectorRequest } from "../vectors/vectors.ts";
import { defaultTimeoutMs, exchange } from "../wire/exchange.ts";
import type { WireResponse } from "../wire/read-responses.ts";
import { describeConnectionError, type ReceiverUrl } from "../wire/receiver-url.ts";
import { createFinding, type Evidence, type Finding } from "./explain.ts";
import { type Endpoint, isEventRequest } from "./select.ts";
import { type SendSettings, sendCase } from "./send.ts";
import { createSignedHeaders, findAcceptedVariant, type Precision, type SigningVariant } from "./signing-variants.ts";

/** A receiver, and the scheme and secret for signing requests to it. */
export interface Subject {
  url: ReceiverUrl;
  scheme: Scheme;
  secret: string;
  timeoutMs?: number | undefined;
}

interface CheckResult {
  sent: Buffer;
  response: WireResponse | undefined;
  /** The status, or why there was no response. */
  status: number | "closed" | "silent";
  error?: string | undefined;
}

/**
 * Sends the two checks that the service sends when the URL is saved in the company profile. If one fails, finds the reason from its status,
 * or by trying variants of the request, such as other paths, other methods and signatures with common mistakes.
 *
 * @returns the finding; undefined if both checks pass
 * @throws {UsageError} (rejects) if the receiver cannot be reached, or no known mistake explains the rejection
 */
export async function runChecks(subject: Subject): Promise<Finding | undefined> {
  const testResult = await sendCheck(subject, { method: "GET", target: "/test" });
  if (testResult.status === "closed" || testResult.status === "silent")
    throw new UsageError(describeUnreachable(subject.url, testResult, subject.timeoutMs ?? defaultTimeoutMs));
  if (testResult.status !== 200) return await diagnoseFailedTest(subject, testResult);
  const headers = createSignedHeaders(subject.scheme, subject.secret, Date.now());
  const authResult = await sendCheck(subject, buildSignedCheck(headers));
  return authResult.status === 200 ? undefined : await diagnoseFailedAuth(subject, authResult);
}

const buildSignedCheck = (headers: [string, string][], target = "/test/auth"): VectorRequest => ({
  method: "GET",
  target,
  headers,
});

async function sendCheck({ url, timeoutMs }: Subject, request: VectorRequest, base = url.base): Promise<CheckResult> {
  const sent = buildRequest(request, { host: `${url.host}:${url.port}`, base }, true);
  const limits = { methods: [request.method ?? "GET"], timeoutMs: timeoutMs ?? defaultTimeoutMs };
  const { responses, error, isClosed } = await exchange(url, sent, limits);
  const [response] = responses;
  return { sent, response, status: response?.status ?? (isClosed ? "closed" : "silent"), error };
}

function describeUnreachable(url: ReceiverUrl, { status, error }: CheckResult, timeoutMs: number): string {
  if (status === "silent")
    return `GET ${url.href}/test got no response within ${timeoutMs / 1000} s. Is the receiver busy or stopped in a debugger? Try: curl -i ${url.href}/test`;
  if (error !== undefined) return describeConnectionError(url, error);
  const hint = url.isSecure ? "" : ", with https:// if it uses TLS";
  return `${url.href} closed the connection without a response. Start your receiver first, and pass the URL on which it listens${hint}.`;
}

/** Creates a finding about a check that was sent the way the service sends it. */
function createCheckFinding(code: FindingCode, target: string, result: CheckResult, explanation: string): Finding {
  const { sent, response, status } = result;
  const [method] = sent.toString("latin1").split(" ");
  const evidence: Evidence = {
    id: `check${target}`,
    title: `${method} ${target} returns 200 when sent the way the service sends it.`,
    text: `expected 200, got ${status}. ${explanation}`.trimEnd(),
    sent,
    ...(response && { received: response }),
  };
  return createFinding(code, [evidence]);
}

/** Returns the finding that the outcome of a check reveals without further requests, if any. */
function findStatusFinding(target: string, result: CheckResult): Finding | undefined {
  const { status, response } = result;
  if (typeof status !== "number") return createCheckFinding("no_response", target, result, "");
  if (status > 200 && status < 300)
    return createCheckFinding("wrong_success_status", target, result, "Only 200 passes the check.");
  if (status < 300 || status >= 400) return undefined;
  const location = response?.headers.get("location");
  const explanation = location === undefined ? "" : `It redirects to ${location}.`;
  return createCheckFinding("redirected", target, result, explanation);
}

/** Finds the reason for a failed `GET /test`. @throws {UsageError} (rejects) if no known mistake explains it */
async function diagnoseFailedTest(subject: Subject, testResult: CheckResult): Promise<Finding> {
  const { url } = subject;
  // The status is a number, because runChecks throws if there is no response.
  const status = Number(testResult.status);
  // If a framework redirects to add the slash, this finding has a more precise remedy than the one for redirects.
  const slashResult = await sendCheck(subject, { method: "GET", target: "/test/" });
  if (status >= 300 && slashResult.status === 200)
    return createCheckFinding("trailing_slash_required", "/test", testResult, `GET ${url.base}/test/ returned 200.`);
  const statusFinding = findStatusFinding("/test", testResult);
  if (statusFinding) return statusFinding;
  if (status === 401 || status === 403)
    return createCheckFinding("test_needs_authentication", "/test", testResult, "GET /test is not signed.");
  const postResult = await sendCheck(subject, { method: "POST", target: "/test", body: "" });
  if (postResult.status === 200)
    return createCheckFinding("wrong_method", "/test", testResult, "POST /test returned 200.");
  const base = await findOtherBase(subject);
  if (base !== undefined) {
    const baseUrl = `${url.href.slice(0, url.href.length - url.base.length)}${base}`;
    return createCheckFinding("wrong_base_path", "/test", testResult, `The endpoints are below ${baseUrl}.`);
  }
  if (status >= 500) return createCheckFinding("server_error", "/test", testResult, "");
  throw new UsageError(
    `GET ${url.href}/test returned ${status}; expected 200. Pass the base URL exactly as it appears in the company profile, such as http://localhost:3001/offers; the probe appends /test.`,
  );
}

/** Finds a different base path below which `GET /test` returns 200 but an unknown path does not. @returns undefined if none is found */
async function findOtherBase(subject: Subject): Promise<string | undefined> {
  for (const base of listOtherBases(subject.url.base)) {
    const testResult = await sendCheck(subject, { method: "GET", target: "/test" }, base);
    const unknownPathResult = await sendCheck(subject, { method: "GET", target: "/no-such-path" }, base);
    // A server that responds with 200 to every path is not a receiver.
    if (testResult.status === 200 && unknownPathResult.status !== 200) return base;
  }
  return undefined;
}

/**
 * Lists the base paths to try: parent paths, in case the URL is too long, the path with its last segment repeated, and paths where
 * receivers are often mounted, alone or below the base path.
 */
function listOtherBases(base: string): string[] {
  const segments = base.split("/").filter((segment) => segment !== "");
  const parentPaths = segments.map((_, depth) => toPath(segments.slice(0, depth))).reverse();
  const lastSegment = segments.at(-1);
  const repeatedPaths = lastSegment === undefined ? [] : [toPath([...segments, lastSegment])];
  const usualPaths = ["/offers", "/webhooks", "/webhook", "/api", "/api/offers", "/api/webhooks", "/v1", "/api/v1"];
  const mountPaths = usualPaths.flatMap((path) => [path, `${base}${path}`]);
  return [...new Set([...parentPaths, ...repeatedPaths, ...mountPaths])].filter((path) => path !== base);
}

const toPath = (segments: string[]): string => segments.map((segment) => `/${segment}`).join("");

/** Finds the reason for a failed `GET /test/auth`. @throws {UsageError} (rejects) if no known mistake explains it */
async function diagnoseFailedAuth(subject: Subject, authResult: CheckResult): Promise<Finding> {
  const { url, scheme, secret } = subject;
  const { status } = authResult;
  const routeFinding = await findAuthRouteFinding(subject, authResult);
  if (routeFinding) return routeFinding;
  const variant = await findVariantAcceptedBy(subject, "ms");
  if (variant) return createCheckFinding(variant.code, "/test/auth", authResult, `It accepts ${variant.accepted}.`);
  const otherScheme: Scheme = scheme === "timestampDigest" ? "standardWebhooks" : "timestampDigest";
  const otherSchemeHeaders = createSignedHeaders(otherScheme, secret, Date.now());
  const otherSchemeResult = await sendCheck(subject, buildSignedCheck(otherSchemeHeaders));
  if (typeof status === "number" && status >= 500 && otherSchemeResult.status !== 200)
    return createCheckFinding("server_error", "/test/auth", authResult, "The signature is valid.");
  const advice =
    otherSchemeResult.status === 200
      ? `It accepts the other scheme: add --scheme ${schemeNames[otherScheme]}.`
      : "Does it use the same secret as WEBHOOK_SECRET? No common mistake explains the rejection. The probe tried digests in lower case, as an HMAC, in base64, and of a reformatted date, a local time or the time of a wrong clock. It also tried secrets that are empty, quoted, decoded or end with a line feed. To see the whole exchange, run offers trigger test-auth.";
  throw new UsageError(`GET ${url.href}/test/auth returned ${status} for a valid signature; expected 200. ${advice}`);
}

/** Returns the finding if the check fails for a reason other than its signature, such as its path or its method. */
async function findAuthRouteFinding(subject: Subject, authResult: CheckResult): Promise<Finding | undefined> {
  const { url, scheme, secret } = subject;
  const target = "/test/auth";
  const { status } = authResult;
  const signNow = () => createSignedHeaders(scheme, secret, Date.now());
  const slashResult = await sendCheck(subject, buildSignedCheck(signNow(), "/test/auth/"));
  if (typeof status === "number" && status >= 300 && status < 500 && slashResult.status === 200)
    return createCheckFinding(
      "trailing_slash_required",
      target,
      authResult,
      `GET ${url.base}/test/auth/ returned 200.`,
    );
  const statusFinding = findStatusFinding(target, authResult);
  if (statusFinding) return statusFinding;
  const postResult = await sendCheck(subject, { method: "POST", target, headers: signNow(), body: "" });
  if (postResult.status === 200)
    return createCheckFinding("wrong_method", target, authResult, "POST /test/auth returned 200.");
  if (status === 404 || status === 405) return createCheckFinding("auth_check_missing", target, authResult, "");
  return undefined;
}

const variantConcurrency = 16;

/** How long to try variants of a signature. */
const maxVariantsMs = 60_000;

/** Finds the first variant of a correct signature that the receiver accepts at GET /test/auth. */
function findVariantAcceptedBy(subject: Subject, precision: Precision): Promise<SigningVariant | undefined> {
  const startedAt = performance.now();
  return findAcceptedVariant(
    { ...subject, precision },
    variantConcurrency,
    async (headers) => (await sendCheck(subject, buildSignedCheck(headers))).status,
    () => performance.now() - startedAt < maxVariantsMs,
  );
}

/**
 * Returns a more precise finding if the receiver rejects a Timestamp without milliseconds only because it reformats the date before hashing
 * it. Otherwise, returns the same finding.
 */
export async function diagnosePrecision(subject: Subject, finding: Finding): Promise<Finding> {
  const hasMinuteCase = finding.evidence.some(({ id }) => id.includes("minute"));
  const variant = await findVariantAcceptedBy(subject, hasMinuteCase ? "minute" : "second");
  if (variant?.code !== "reformatted_date") return finding;
  const [first, ...others] = finding.evidence;
  if (!first) return finding;
  const text = `${first.text}. It accepts ${variant.accepted}.`;
  return createFinding(variant.code, [{ ...first, text }, ...others]);
}

/**
 * Finds the endpoints that the receiver does not implement. Each finding contains the exchange that shows it.
 *
 * @param allowEvents whether to call event endpoints
 * @returns a finding for each missing endpoint
 */
export async function findMissingEndpoints(
  settings: SendSettings,
  url: ReceiverUrl,
  allowEvents: boolean,
): Promise<Map<Endpoint, Finding>> {
  const findingByEndpoint = new Map<Endpoint, Finding>();
  for (const endpoint of Object.keys(endpointRequests) as Endpoint[]) {
    const request = buildEndpointRequest(endpoint, settings.scheme);
    if (isEventRequest(request) && !allowEvents) continue;
    const testCase: TestVector = {
      id: "check/endpoint",
      title: `${endpoint} exists.`,
      why: "interface.md: webhook endpoints.",
      request,
      response: { status: 200, handled: 1 },
    };
    const { responses, requests } = await sendCase(settings, testCase, url, Date.now());
    const [received] = responses;
    // A 410 to a worker's response is a more serious finding.
    const statuses = endpoint === "POST /offer/response" ? [404, 405, 501] : [404, 405, 410, 501];
    if (!received || !statuses.includes(received.status)) continue;
    const { id, title, why: source } = testCase;
    const text = `expected 200, got ${received.status}`;
    const evidence: Evidence = { id, title, source, text, sent: requests[0] ?? Buffer.of(), received };
    findingByEndpoint.set(endpoint, createFinding("event_endpoint_missing", [evidence]));
  }
  return findingByEndpoint;
}

/** The request that the service sends to each endpoint, with ids that do not exist. */
const endpointRequests: Readonly<Record<Endpoint, readonly [method: string, target: string, body?: string]>> = {
  "POST /offer/response": ["POST", "/offer/response", "{{accepts}}"],
  "POST /contact-suggestions": ["POST", "/contact-suggestions", "{{search}}"],
  "GET /contact/new/{workerId}": ["GET", "/contact/new/worker-{{unique}}"],
  "POST /offer/eventDeleted": ["POST", "/offer/eventDeleted", "{{deleted}}"],
  "POST /events/timelineChanged": ["POST", "/events/timelineChanged", "{{timeline}}"],
};

/** Builds the service's request to an endpoint in the format of a test vector, with placeholders. */
function buildEndpointRequest(endpoint: Endpoint, scheme: Scheme): VectorRequest {
  const [method, target, body] = endpointRequests[endpoint];
  const headers: [string, string][] =
    scheme === "timestampDigest"
      ? [
          ["Timestamp", "{{timestamp}}"],
          ["Authorization", "hmac {{DIGEST}}"],
        ]
      : [
          ["webhook-id", "{{webhook.id}}"],
          ["webhook-timestamp", "{{webhook.timestamp}}"],
          ["webhook-signature", "{{webhook.signature}}"],
        ];
  if (body === undefined) return { method, target, headers };
  return { method, target, headers: [...headers, ["Content-Type", "application/json"]], body };
}
