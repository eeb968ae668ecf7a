import { requestTimeoutMs } from "../generated/decisions.ts";
import type { Outbound, OutboundFailureCode, OutboundResult, Sign } from "./outbound.ts";
import type { Webhook } from "./webhook.ts";

const testWebhook = { method: "GET", path: "/test" } satisfies Webhook;
const authWebhook = { method: "GET", path: "/test/auth" } satisfies Webhook;

type TestWebhook = typeof testWebhook | typeof authWebhook;

export interface EndpointCheck {
  method: TestWebhook["method"];
  path: TestWebhook["path"];
  passed: boolean;
  /** Absent when no answer came. */
  status?: number;
  /** Absent when an answer came. */
  failure?: OutboundFailureCode;
  durationMs: number;
  /** For the person who entered the address. */
  reason: string;
}

export interface EndpointTestResult {
  /** Both checks were answered with exactly 200. */
  passed: boolean;
  checks: EndpointCheck[];
}

export interface EndpointToTest {
  baseAddress: string;
  secret: string;
}

/** Calls `GET /test` unsigned and `GET /test/auth` signed, as the profile page does before it saves an address. */
export async function testEndpoint(
  outbound: Outbound,
  sign: Sign,
  { baseAddress, secret }: EndpointToTest,
): Promise<EndpointTestResult> {
  const call = { baseAddress, timeoutMs: requestTimeoutMs };
  const test = await outbound.send({ ...call, ...testWebhook });
  const auth = await outbound.send({ ...call, ...authWebhook, headers: await sign(secret) });
  const checks = [checkOf(testWebhook, test), checkOf(authWebhook, auth)];
  return { passed: checks.every((check) => check.passed), checks };
}

function checkOf(webhook: TestWebhook, result: OutboundResult): EndpointCheck {
  const call = { ...webhook, durationMs: result.durationMs };
  if (!result.ok) return { ...call, passed: false, failure: result.code, reason: result.reason };
  const { status } = result;
  return { ...call, passed: status === 200, status, reason: reasonOf(webhook.path, status) };
}

function reasonOf(path: TestWebhook["path"], status: number): string {
  if (status === 200) return "answered 200";
  if (path === authWebhook.path && (status === 401 || status === 403))
    return `answered ${status}, 200 is needed: the endpoint does not accept the secret; is it the one it was given?`;
  if (status >= 300 && status < 400)
    return `answered ${status}, 200 is needed: redirects are not followed; enter the final address`;
  if (status === 404) return `answered 404, 200 is needed: nothing is mounted at ${path} below the base address`;
  return `answered ${status}, 200 is needed`;
}
