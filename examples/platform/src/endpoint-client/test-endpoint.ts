import { requestTimeoutMs } from "@offers/contract/decisions";
import { type EndpointProblemCode, endpointProblem } from "@offers/contract/endpoint-problem";
import { truncateUtf8 } from "../http/fields.ts";
import type { EndpointClient, EndpointFailureCode, EndpointResult, Sign } from "./endpoint-client.ts";
import { type SignedEndpoint, sendSigned, type Webhook } from "./send-signed.ts";

const testWebhook = { method: "GET", path: "/test" } satisfies Webhook;
const authWebhook = { method: "GET", path: "/test/auth" } satisfies Webhook;

type TestWebhook = typeof testWebhook | typeof authWebhook;

/** The outcome of a check, for programs; never changes between releases. Without a response it is the code of the failure. */
export type EndpointCheckCode = "passed" | EndpointProblemCode | EndpointFailureCode;

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
  /** Why there is no response; then the next three are null. */
  failure: EndpointFailureCode | null;
  status: number | null;
  contentType: string | null;
  /** The beginning of the response's body as text. */
  body: string | null;
}

export interface EndpointTestResult {
  /** Both checks got a response of exactly 200. */
  passed: boolean;
  checks: EndpointCheck[];
}

/** Without the previous secret: the new one must pass by itself (D-75). */
export type EndpointToTest = Omit<SignedEndpoint, "previousSecret">;

/** Calls `GET /test` unsigned and `GET /test/auth` signed, as the profile page does before it saves an address. */
export async function testEndpoint(
  endpointClient: EndpointClient,
  sign: Sign,
  { baseAddress, scheme, secret }: EndpointToTest,
): Promise<EndpointTestResult> {
  const timeoutMs = requestTimeoutMs;
  // Unsigned, but the endpoint may know the secret and send it, or a digest made with it.
  const confidential = { signatures: [], secrets: [secret] };
  // At the same time: an endpoint that does not respond takes its time limit once.
  const [test, auth] = await Promise.all([
    endpointClient.send({ baseAddress, confidential, timeoutMs, ...testWebhook }),
    sendSigned(endpointClient, sign, { baseAddress, scheme, secret }, { timeoutMs, ...authWebhook }),
  ]);
  const checks = [checkOf(testWebhook, test), checkOf(authWebhook, auth)];
  return { passed: checks.every((check) => check.passed), checks };
}

/** Enough to recognise what responded. */
const shownBytes = 1_024;

function checkOf(webhook: TestWebhook, result: EndpointResult): EndpointCheck {
  const call = { ...webhook, milliseconds: result.durationMs, headers: result.sentHeaders ?? {} };
  const noResponse = { status: null, contentType: null, body: null };
  if (!result.ok)
    return { ...call, ...noResponse, passed: false, code: result.code, failure: result.code, reason: result.reason };
  const { status, contentType = null } = result;
  const response = { status, contentType, body: truncateUtf8(result.body, shownBytes), failure: null };
  if (status === 200) return { ...call, ...response, passed: true, code: "passed", reason: "responded with 200" };
  const { code, advice } = endpointProblem(webhook.path, status);
  return { ...call, ...response, passed: false, code, reason: `responded with ${status}; only 200 counts${advice}` };
}
