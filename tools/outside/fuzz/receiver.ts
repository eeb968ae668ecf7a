import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { webhookHandler } from "../../../packages/webhook-kit/src/fetch.ts";
import { standardWebhooks } from "../../../packages/webhook-kit/src/signature/standard-webhooks.ts";
import { type FuzzTarget, readParts } from "./target.ts";

const secret = "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const now = new Date("2026-11-24T12:00:00Z");
const seconds = String(now.getTime() / 1000);
let handled = 0;
const common = {
  basePath: "/offers",
  secret,
  now: () => now,
  deduplication: false,
  onEvent: () => void handled++,
  suggestContacts: () => [],
} as const;
const receivers = [webhookHandler(common), webhookHandler({ ...common, scheme: standardWebhooks() })] as const;
const statuses = [200, 400, 401, 404, 405, 413, 415];

/** Whole requests to a receiver: a documented status, and no handler runs unless node:crypto computes the same signature. */
export const receiver: FuzzTarget = {
  words: [
    "GET",
    "POST",
    "HEAD",
    "/offers/test",
    "/offers/test/auth",
    "/offers/offer/response",
    "/offers/contact/new/worker_1",
    "/offers/contact-suggestions",
    now.toISOString(),
    "application/json",
    '{"offerId":"a","workerId":"b","response":"accepted"}',
    '{"userEmailAddresses":["hana@harbour-hotels.example"]}',
  ],
  async fuzz(data) {
    const [choice = 0] = data;
    const isSigned = (choice & 2) === 0;
    const [method = "", path = "", time = "", type = "", text = ""] = readParts(data.subarray(1), 5);
    const body = Buffer.from(text, "latin1");
    const request = toRequest({
      method,
      path,
      type,
      body,
      signed: choice & 1 ? standardHeaders(time, body, isSigned) : digestHeaders(time, isSigned),
    });
    if (!request) return;
    const before = handled;
    const response = await (receivers[choice & 1] ?? receivers[0])(request);
    assert.ok(statuses.includes(response.status), `the status ${response.status}`);
    const problem = await response.text();
    if (response.status >= 400) assert.equal(typeof JSON.parse(problem || '{"code":""}').code, "string");
    const isFresh = choice & 1 ? /^\d{0,12}$/.test(time) : /^\d{4}-/.test(time);
    if (!isSigned || !isFresh) assert.equal(handled, before, "an unsigned event is not handled");
    const isTest = /^\/+offers\/+test\/?$/.test(new URL(request.url).pathname);
    if (!isSigned && response.status < 300) assert.ok(isTest, "only /test needs no signature");
    if (handled > before) assert.equal(response.status, 200);
  },
};

const digestHeaders = (time: string, isSigned: boolean): Record<string, string> => ({
  Timestamp: time,
  Authorization: `hmac ${
    isSigned
      ? createHash("sha256")
          .update(time + secret)
          .digest("hex")
      : "0".repeat(64)
  }`,
});

const standardHeaders = (time: string, body: Buffer, isSigned: boolean): Record<string, string> => {
  const key = Buffer.from(secret, isSigned ? "base64" : "hex");
  const signature = createHmac("sha256", key)
    .update(`msg_1.${time || seconds}.`)
    .update(body)
    .digest("base64");
  return { "webhook-id": "msg_1", "webhook-timestamp": time || seconds, "webhook-signature": `v1,${signature}` };
};

interface Given {
  method: string;
  path: string;
  type: string;
  body: Buffer;
  signed: Record<string, string>;
}

/** @returns undefined for what a runtime never makes a Request of */
function toRequest({ method, path, type, body, signed }: Given): Request | undefined {
  try {
    const headers = new Headers({ ...signed, ...(type !== "" && { "content-type": type }) });
    const hasBody = method !== "GET" && method !== "HEAD" && body.length > 0;
    return new Request(`http://integrator.example${path.startsWith("/") ? "" : "/"}${path}`, {
      method: method || "GET",
      headers,
      ...(hasBody && { body: new Uint8Array(body) }),
    });
  } catch {
    return undefined;
  }
}
