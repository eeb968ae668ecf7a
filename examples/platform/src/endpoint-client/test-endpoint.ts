import { randomBytes } from "node:crypto";
import { requestTimeoutMs } from "@offers/contract/decisions";
import { type EndpointProblemCode, endpointProblem } from "@offers/contract/endpoint-problem";
import { truncateUtf8 } from "../http/fields.ts";
import { httpAddress, joinAddress } from "./create-endpoint-client.ts";
import type { EndpointClient, EndpointFailureCode, EndpointResult, Sign } from "./endpoint-client.ts";
import { notTls } from "./failures.ts";
import { type SignedEndpoint, sendSigned, type Webhook } from "./send-signed.ts";

const testWebhook = { method: "GET", path: "/test" } satisfies Webhook;
const authWebhook = { method: "GET", path: "/test/auth" } satisfies Webhook;

type TestWebhook = typeof testWebhook | typeof authWebhook;

/** The outcome of a check, for programs; never changes between releases. Without a response it is the code of the failure. */
export type EndpointCheckCode = "passed" | "blocked" | EndpointProblemCode | EndpointFailureCode;

/** A problem even though the check passed; never changes between releases. */
export type EndpointWarningCode = "accepts_forged";

export interface EndpointCheck {
  method: TestWebhook["method"];
  path: TestWebhook["path"];
  passed: boolean;
  code: EndpointCheckCode;
  /** For the person who entered the address. */
  reason: string;
  /** Sent headers, with redacted signatures. */
  headers: Record<string, string>;
  milliseconds: number;
  /** The base address that the endpoint redirects to, if it is a valid one. */
  redirectsTo?: string;
  warning?: { code: EndpointWarningCode; reason: string; advice: string };
  /** Why there is no response; then the next three are null. */
  failure: EndpointFailureCode | null;
  status: number | null;
  contentType: string | null;
  /** The start of the response's body as a string. */
  body: string | null;
}

export interface EndpointTestResult {
  /** Both checks got a response of exactly 200. */
  passed: boolean;
  checks: EndpointCheck[];
}

/** Without the previous secret: the new one must pass by itself (D-75). */
export type EndpointToTest = Omit<SignedEndpoint, "previousSecret">;

/**
 * Calls `GET /test` unsigned and `GET /test/auth` signed, as the profile page does before it saves an address. If both pass, calls
 * `GET /test/auth` with the signature of another secret: an endpoint that accepts it would accept anyone's requests.
 */
export async function testEndpoint(
  endpointClient: EndpointClient,
  sign: Sign,
  { baseAddress, scheme, secret }: EndpointToTest,
): Promise<EndpointTestResult> {
  const timeoutMs = requestTimeoutMs;
  const signedWith = (one: string) =>
    sendSigned(endpointClient, sign, { baseAddress, scheme, secret: one }, { timeoutMs, ...authWebhook });
  // Unsigned, but the endpoint may know the secret and send it, or a digest made with it.
  const unsigned = { confidential: { signatures: [], secrets: [secret] }, timeoutMs, ...testWebhook };
  // In parallel, so that an endpoint that does not respond costs one time limit.
  const [test, auth] = await Promise.all([endpointClient.send({ baseAddress, ...unsigned }), signedWith(secret)]);
  const checks = [checkOf(baseAddress, testWebhook, test), checkOf(baseAddress, authWebhook, auth)] as const;
  const passed = checks.every((check) => check.passed);
  if (passed) {
    const forged = await signedWith(randomBytes(32).toString("base64"));
    if (forged.ok && forged.status === 200) checks[1].warning = acceptsForged;
  } else if (isRefused(test) && isRefused(auth)) {
    for (const check of checks)
      Object.assign(check, { code: "blocked", reason: `responded with ${check.status}${blocked}` });
  } else if (isNotHttp(test) && /^http:/i.test(baseAddress)) {
    const https = await endpointClient.send({ baseAddress: baseAddress.replace(/^http:/i, "https:"), ...unsigned });
    if (https.ok || (https.code === "tls_failed" && !https.reason.includes(notTls)))
      for (const check of checks) check.reason = "the port speaks https: start the base address with https://";
  }
  return { passed, checks: [...checks] };
}

const acceptsForged = {
  code: "accepts_forged",
  reason: "accepts requests that are not from the service",
  advice:
    "It also responded with 200 to a signature that another secret had made. Verify the signature first, and respond with 401 to a wrong one.",
} as const;

const elsewhere =
  ", and no base address leads there: exempt the endpoint from the sign-in or the rewrite rule in front of it";

const isRefused = (result: EndpointResult): boolean => result.ok && (result.status === 401 || result.status === 403);

const blocked =
  ": GET /test carries no signature, so the secret is not the reason. A firewall, an access list or a sign-in in front of the endpoint rejects the service's requests: let them through";

/** Whether the response is that of a server that expects TLS. */
const isNotHttp = (result: EndpointResult): boolean =>
  result.ok ? result.status === 400 : result.code === "connection_lost" || result.code === "protocol_error";

/** What to do without a response, as the end of a sentence. The other reasons already say it. */
const failureAdvice: Partial<Record<EndpointFailureCode, string>> = {
  name_not_found: ": correct it, or add its DNS record",
  connection_refused: ": start the endpoint, or correct the host and the port",
  connect_timeout:
    ". A firewall may drop the connection: open the port to the service, or correct the host and the port",
  connection_lost: ": look for the request in the endpoint's log",
  timeout:
    ": respond with 200 immediately. If the endpoint's log does not show the request, a proxy or a firewall holds it back",
};

/** Enough to recognise the program that responded. */
const shownBytes = 1_024;

function checkOf(baseAddress: string, webhook: TestWebhook, result: EndpointResult): EndpointCheck {
  const call = { ...webhook, milliseconds: result.durationMs, headers: result.sentHeaders ?? {} };
  const noResponse = { status: null, contentType: null, body: null };
  if (!result.ok) {
    const { code, reason } = result;
    return {
      ...call,
      ...noResponse,
      passed: false,
      code,
      failure: code,
      reason: `${reason}${failureAdvice[code] ?? ""}`,
    };
  }
  const { status, contentType = null, location } = result;
  const response = { status, contentType, body: truncateUtf8(result.body, shownBytes), failure: null };
  if (status === 200) return { ...call, ...response, passed: true, code: "passed", reason: "responded with 200" };
  const { code, advice } = endpointProblem(webhook.path, status);
  const reason = `responded with ${status}; only 200 counts${advice}`;
  const failed = { ...call, ...response, passed: false, code };
  if (location === undefined) return { ...failed, reason };
  const redirectsTo = baseOf(joinAddress(baseAddress, webhook.path), location, webhook);
  const target = `It redirects to ${location.slice(0, 500)}`;
  if (redirectsTo !== undefined) return { ...failed, reason: `${reason}. ${target}`, redirectsTo };
  return { ...failed, reason: `responded with ${status}; only 200 counts. ${target}${elsewhere}` };
}

/** The base address that leads to the redirect's target when the same path is appended. */
function baseOf(from: URL, location: string, { path }: TestWebhook): string | undefined {
  const target = URL.parse(location, from)?.href ?? "";
  const end = target.replace(/\/$/, "");
  if (!end.endsWith(path)) return undefined;
  const base = end.slice(0, -path.length);
  try {
    joinAddress(httpAddress(base).href, path);
    return base;
  } catch {
    return undefined;
  }
}
