import { requestTimeoutMs } from "../generated/decisions.ts";
import { truncateUtf8 } from "../http/truncate-utf8.ts";
import type { Outbound, OutboundFailureCode, OutboundResult, Sign } from "./outbound.ts";
import { type SignedEndpoint, sendSigned } from "./send-signed.ts";
import type { Webhook } from "./webhook.ts";

const testWebhook = { method: "GET", path: "/test" } satisfies Webhook;
const authWebhook = { method: "GET", path: "/test/auth" } satisfies Webhook;

type TestWebhook = typeof testWebhook | typeof authWebhook;

/**
 * What became of a check, for programs; never changes between releases. Without a response it is the code of the failure.
 * `success_not_200`: another success, of which only 200 counts.
 */
export type EndpointCheckCode =
  | "passed"
  | "success_not_200"
  | "redirected"
  | "secret_refused"
  | "not_found"
  | "not_200"
  | OutboundFailureCode;

export interface EndpointCheck {
  method: TestWebhook["method"];
  path: TestWebhook["path"];
  passed: boolean;
  code: EndpointCheckCode;
  /** As sent, with the signatures taken out. */
  headers: Record<string, string>;
  /** Absent when no response came. */
  status?: number;
  contentType?: string;
  /** The beginning of the response's body as text. Absent when no response came. */
  answer?: string;
  /** Absent when a response came. */
  failure?: OutboundFailureCode;
  durationMs: number;
  /** For the person who entered the address. */
  reason: string;
}

export interface EndpointTestResult {
  /** Both checks got a response of exactly 200. */
  passed: boolean;
  checks: EndpointCheck[];
}

/** Without a secret that counts no longer: the one entered must pass by itself (D-75). */
export type EndpointToTest = Omit<SignedEndpoint, "previousSecret">;

/** Calls `GET /test` unsigned and `GET /test/auth` signed, as the profile page does before it saves an address. */
export async function testEndpoint(
  outbound: Outbound,
  sign: Sign,
  { baseAddress, scheme, secret }: EndpointToTest,
): Promise<EndpointTestResult> {
  const timeoutMs = requestTimeoutMs;
  // Unsigned; but the endpoint may know the secret, and what it computed with it.
  const confidential = { signatures: [], secrets: [secret] };
  const test = await outbound.send({ baseAddress, confidential, timeoutMs, ...testWebhook });
  const auth = await sendSigned(outbound, sign, { baseAddress, scheme, secret }, { timeoutMs, ...authWebhook });
  const checks = [checkOf(testWebhook, test), checkOf(authWebhook, auth)];
  return { passed: checks.every((check) => check.passed), checks };
}

/** Enough to see what responded. */
const shownBytes = 1_024;

function checkOf(webhook: TestWebhook, result: OutboundResult): EndpointCheck {
  const call = { ...webhook, durationMs: result.durationMs, headers: result.sentHeaders ?? {} };
  if (!result.ok) return { ...call, passed: false, code: result.code, failure: result.code, reason: result.reason };
  const { status, contentType, body } = result;
  const answer = { status, answer: truncateUtf8(body, shownBytes), ...(contentType !== undefined && { contentType }) };
  return { ...call, ...answer, passed: status === 200, ...findingOf(webhook.path, status) };
}

interface Finding {
  code: EndpointCheckCode;
  reason: string;
}

function findingOf(path: TestWebhook["path"], status: number): Finding {
  const needed = `responded with ${status}; only 200 counts`;
  if (status === 200) return { code: "passed", reason: "responded with 200" };
  if (status < 300)
    return {
      code: "success_not_200",
      reason: `${needed}. Many frameworks send 204 for a handler that returns nothing: return 200 explicitly, here and from the handlers of all webhooks`,
    };
  if (status < 400)
    return { code: "redirected", reason: `${needed}: redirects are not followed; enter the final address` };
  if (path === authWebhook.path && (status === 401 || status === 403))
    return {
      code: "secret_refused",
      reason: `${needed}: the endpoint does not accept the secret; is it the one configured there?`,
    };
  if (status === 404)
    return { code: "not_found", reason: `${needed}: nothing is mounted at ${path} below the base address` };
  return { code: "not_200", reason: needed };
}
