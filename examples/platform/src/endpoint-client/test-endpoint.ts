import { randomBytes } from "node:crypto";
import { requestTimeoutMs } from "@offers/contract/decisions";
import { describeEndpointProblem, type EndpointProblemCode } from "@offers/contract/endpoint-problem";
import { truncateUtf8 } from "../http/fields.ts";
import { joinUrl, parseHttpUrl } from "./create-endpoint-client.ts";
import type { EndpointClient, EndpointFailureCode, EndpointResponse, EndpointResult, Sign } from "./endpoint-client.ts";
import { notTlsAdvice } from "./failures.ts";
import { type SignedEndpoint, sendSigned, type Webhook } from "./send-signed.ts";

const testWebhook = { method: "GET", path: "/test" } satisfies Webhook;
const authWebhook = { method: "GET", path: "/test/auth" } satisfies Webhook;

type TestWebhook = typeof testWebhook | typeof authWebhook;

/** A stable code for the outcome of a check. If there was no response, it is the code of the failure. */
export type EndpointCheckCode = "passed" | "blocked" | EndpointProblemCode | EndpointFailureCode;

/** A stable code for a problem in an endpoint that passed the check. */
export type EndpointWarningCode = "accepts_forged";

export interface EndpointCheck {
  method: TestWebhook["method"];
  path: TestWebhook["path"];
  passed: boolean;
  code: EndpointCheckCode;
  /** An explanation for the user who entered the base URL. */
  reason: string;
  /** The headers that were sent, with redacted signatures. */
  headers: Record<string, string>;
  milliseconds: number;
  /** The base URL that the endpoint redirects to, if it is valid. */
  redirectsTo?: string;
  warning?: { code: EndpointWarningCode; reason: string; advice: string };
  /** Why there was no response. If set, the next three fields are null. */
  failure: EndpointFailureCode | null;
  status: number | null;
  contentType: string | null;
  /** The start of the response body. */
  body: string | null;
}

export interface EndpointTestResult {
  /** Whether both checks returned exactly 200. */
  passed: boolean;
  checks: EndpointCheck[];
}

/** An endpoint without its previous secret, because the test must pass with the new one alone (D-75). */
export type EndpointToTest = Omit<SignedEndpoint, "previousSecret">;

/**
 * Tests an endpoint, as the profile page does before it saves a base URL. Calls `GET /test` unsigned and `GET /test/auth` signed. If
 * both pass, calls `GET /test/auth` signed with a different secret. An endpoint that accepts this request would accept any request.
 * If a check fails, looks for a cause that affects both checks: something in front of the endpoint, or a port that expects https.
 */
export async function testEndpoint(
  endpointClient: EndpointClient,
  sign: Sign,
  { baseAddress, scheme, secret }: EndpointToTest,
): Promise<EndpointTestResult> {
  const timeoutMs = requestTimeoutMs;
  const sendSignedWith = (signingSecret: string) =>
    sendSigned(endpointClient, sign, { baseAddress, scheme, secret: signingSecret }, { timeoutMs, ...authWebhook });
  // Although this request is unsigned, the response may contain the secret or a digest created with it.
  const unsignedRequest = { confidential: { signatures: [], secrets: [secret] }, timeoutMs, ...testWebhook };
  // Send both requests in parallel, so that an unresponsive endpoint delays the result only once.
  const [testResult, authResult] = await Promise.all([
    endpointClient.send({ baseAddress, ...unsignedRequest }),
    sendSignedWith(secret),
  ]);
  const checks = [
    toCheck(baseAddress, testWebhook, testResult),
    toCheck(baseAddress, authWebhook, authResult),
  ] as const;
  const passed = checks.every((check) => check.passed);
  if (passed) {
    const forgedResult = await sendSignedWith(randomBytes(32).toString("base64"));
    if (forgedResult.ok && forgedResult.status === 200) checks[1].warning = acceptsForgedWarning;
  } else if (isUnauthorized(testResult) && isUnauthorized(authResult)) {
    for (const check of checks) {
      check.code = "blocked";
      check.reason = `responded with ${check.status}${blockedReason}`;
    }
  } else if (mayExpectTls(testResult) && /^http:/i.test(baseAddress)) {
    const httpsAddress = baseAddress.replace(/^http:/i, "https:");
    const httpsResult = await endpointClient.send({ baseAddress: httpsAddress, ...unsignedRequest });
    if (expectsTls(httpsResult))
      for (const check of checks) check.reason = "the port expects https: start the base URL with https://";
  }
  return { passed, checks: [...checks] };
}

const acceptsForgedWarning = {
  code: "accepts_forged",
  reason: "accepts requests that are not from the service",
  advice:
    "It also responded with 200 to a request signed with a different secret. Verify the signature first, and respond with 401 if it is invalid.",
} as const;

const noMatchingBase =
  ", which no base URL can match: exempt the endpoint from the sign-in or the rewrite rule in front of it";

const isUnauthorized = (result: EndpointResult): boolean =>
  result.ok && (result.status === 401 || result.status === 403);

const blockedReason =
  ": GET /test is not signed, so the secret is not the cause. A firewall, an access list or a sign-in page in front of the endpoint rejects the service's requests: allow them";

/**
 * Returns whether the result of an http request suggests that the server expects TLS. Some servers, such as nginx, then respond with
 * 400. Others close the connection or send a TLS alert, which is not valid HTTP.
 */
const mayExpectTls = (result: EndpointResult): boolean =>
  result.ok ? result.status === 400 : result.code === "connection_lost" || result.code === "protocol_error";

/** Returns whether the result of an https request shows that the server expects TLS, even if its certificate is not valid. */
const expectsTls = (result: EndpointResult): boolean =>
  result.ok || (result.code === "tls_failed" && !result.reason.includes(notTlsAdvice));

/** The remedies for failures without a response, as the end of a sentence. The reasons for other failures already include a remedy. */
const failureAdvice: Partial<Record<EndpointFailureCode, string>> = {
  name_not_found: ": correct it, or add its DNS record",
  connection_refused: ": start the endpoint, or correct the host and the port",
  connect_timeout:
    ". A firewall may drop the connection: open the port to the service, or correct the host and the port",
  connection_lost: ": check the endpoint's log for the request",
  timeout:
    ": respond with 200 immediately. If the endpoint's log does not show the request, a proxy or a firewall is blocking it",
};

/** The maximum number of bytes of a response body to show. They are enough to recognise the program that responded. */
const maxShownBytes = 1_024;

/** Converts the result of a request to a check, which passes only if the status is 200. */
function toCheck(baseAddress: string, webhook: TestWebhook, result: EndpointResult): EndpointCheck {
  const requestFields = { ...webhook, milliseconds: result.durationMs, headers: result.sentHeaders ?? {} };
  const noResponse = { status: null, contentType: null, body: null };
  if (!result.ok) {
    const { code, reason } = result;
    return {
      ...requestFields,
      ...noResponse,
      passed: false,
      code,
      failure: code,
      reason: `${reason}${failureAdvice[code] ?? ""}`,
    };
  }
  const { status, contentType = null } = result;
  const responseFields = { status, contentType, body: truncateUtf8(result.body, maxShownBytes), failure: null };
  if (status === 200)
    return { ...requestFields, ...responseFields, passed: true, code: "passed", reason: "responded with 200" };
  return { ...requestFields, ...responseFields, passed: false, ...explainStatus(baseAddress, webhook, result) };
}

/** Explains why a status other than 200 fails the check. For a redirect, adds the base URL that it leads to. */
function explainStatus(
  baseAddress: string,
  webhook: TestWebhook,
  { status, location, headers }: EndpointResponse,
): Pick<EndpointCheck, "code" | "reason" | "redirectsTo"> {
  const { code, advice } = describeEndpointProblem(webhook.path, status, headers?.date);
  const reason = `responded with ${status}; only 200 counts${advice}`;
  if (location === undefined) return { code, reason };
  const redirectsTo = redirectBase(joinUrl(baseAddress, webhook.path), location, webhook);
  const target = `It redirects to ${location.slice(0, 500)}`;
  if (redirectsTo !== undefined) return { code, reason: `${reason}. ${target}`, redirectsTo };
  return { code, reason: `responded with ${status}; only 200 counts. ${target}${noMatchingBase}` };
}

/** Returns the base URL that a redirect leads to; undefined if its target does not end with the path, or is not valid. */
function redirectBase(requestUrl: URL, location: string, { path }: TestWebhook): string | undefined {
  const target = URL.parse(location, requestUrl)?.href ?? "";
  const targetWithoutSlash = target.replace(/\/$/, "");
  if (!targetWithoutSlash.endsWith(path)) return undefined;
  const base = targetWithoutSlash.slice(0, -path.length);
  try {
    // Throws if it is not a valid base URL.
    joinUrl(parseHttpUrl(base).href, path);
    return base;
  } catch {
    return undefined;
  }
}
