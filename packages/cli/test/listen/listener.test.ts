import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { forwardedPath } from "../../src/listen/forward.ts";
import { formatArrival, toJsonLine } from "../../src/listen/listen.ts";
import { type Arrival, createListener } from "../../src/listen/listener.ts";
import type { Scheme } from "../../src/signature/sign-request.ts";
import { parseUrl } from "../../src/wire/receiver-url.ts";
import { secrets } from "../support/start-receiver.ts";

async function startListener(scheme: Scheme, forwardTo?: string) {
  const arrivals: Arrival[] = [];
  const server = createListener({
    scheme,
    secret: secrets[scheme],
    timeoutMs: 500,
    forwardTo: forwardTo ? parseUrl(forwardTo) : undefined,
    onArrival: (arrival) => arrivals.push(arrival),
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals };
}

const secret = secrets.timestampDigest;
const computeDigest = (text: string) => createHash("sha256").update(text).digest("hex");
const timestampIn = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString();
const signatureHeaders = (timestamp = timestampIn(0), signingSecret = secret) => ({
  Timestamp: timestamp,
  Authorization: `hmac ${computeDigest(timestamp + signingSecret)}`,
});

test.each([
  ["a valid signature", signatureHeaders(), 200, { ok: true, variant: "SHA-256" }],
  ["a request without headers", {}, 401, { reason: "missing_timestamp" }],
  ["a request without Authorization", { Timestamp: timestampIn(0) }, 401, { reason: "missing_authorization" }],
  ["a different secret", signatureHeaders(timestampIn(0), "other"), 401, { reason: "signature_mismatch" }],
  ["an old signature", signatureHeaders(timestampIn(-6)), 401, { reason: "timestamp_out_of_tolerance" }],
  ["a future signature", signatureHeaders(timestampIn(6)), 401, { reason: "timestamp_out_of_tolerance" }],
  ["an invalid date", { ...signatureHeaders(), Timestamp: "yesterday" }, 401, { reason: "malformed_timestamp" }],
  ["a bearer token", { ...signatureHeaders(), Authorization: "Bearer x" }, 401, { reason: "malformed_authorization" }],
])(
  "the listener responds to %s with the correct status, and reports the reason",
  async (_, headers, status, verification) => {
    const { address, arrivals } = await startListener("timestampDigest");
    const response = await fetch(`${address}/test/auth`, { headers });
    expect(response.status).toBe(status);
    expect(arrivals[0]).toMatchObject({ method: "GET", target: "/test/auth", status, verification });
  },
);

test("the listener verifies a Standard Webhooks signature against the received bytes", async () => {
  const { address, arrivals } = await startListener("standardWebhooks");
  const body = '{ "offerId": "o",  "workerId":"w" }';
  const time = String(Math.floor(Date.now() / 1000));
  const key = Buffer.from(secrets.standardWebhooks.slice("whsec_".length), "base64");
  const signature = `v1,${createHmac("sha256", key).update(`msg_1.${time}.${body}`).digest("base64")}`;
  const headers = { "webhook-id": "msg_1", "webhook-timestamp": time, "webhook-signature": signature };
  const send = (content: string) => fetch(`${address}/offer/response`, { method: "POST", headers, body: content });
  expect((await send(body)).status).toBe(200);
  expect((await send(body.replaceAll(" ", ""))).status).toBe(401);
  expect(arrivals.map(({ verification }) => verification?.ok)).toEqual([true, false]);
});

test("the listener accepts GET /test without a signature, and responds to a search with an empty list", async () => {
  const { address } = await startListener("timestampDigest");
  expect((await fetch(`${address}/test`)).status).toBe(200);
  const search = await fetch(`${address}/contact-suggestions`, {
    method: "POST",
    headers: signatureHeaders(),
    body: "{}",
  });
  expect(await search.json()).toEqual([]);
});

test("the listener verifies a webhook about a worker with the id test, and treats it as an event", async () => {
  const { address, arrivals } = await startListener("timestampDigest");
  expect((await fetch(`${address}/contact/new/test`)).status).toBe(401);
  expect((await fetch(`${address}/contact/new/test`, { headers: signatureHeaders() })).status).toBe(200);
  expect(arrivals.at(-1)).toMatchObject({ isEvent: true, verification: { ok: true } });
});

test("the listener reports a receiver that is not running, and responds with 502", async () => {
  const { address, arrivals } = await startListener("timestampDigest", "http://127.0.0.1:1/offers");
  expect((await fetch(`${address}/test/auth`, { headers: signatureHeaders() })).status).toBe(502);
  expect(arrivals[0]?.failure).toBe(
    "http://127.0.0.1:1/offers cannot be reached (ECONNREFUSED). Start your receiver first, and pass the URL on which it listens.",
  );
});

test("the listener reports a receiver whose response is too large, and responds with 502", async () => {
  const receiver = createServer((_request, response) => response.end(Buffer.alloc(4 * 1024 * 1024 + 1)));
  await once(receiver.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => void receiver.close());
  const receiverUrl = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/offers`;
  const { address, arrivals } = await startListener("timestampDigest", receiverUrl);
  expect((await fetch(`${address}/test/auth`, { headers: signatureHeaders() })).status).toBe(502);
  expect(arrivals[0]?.failure).toBe(`${receiverUrl}: the response is larger than 4 MiB`);
});

const arrival: Arrival = {
  arrivedAt: new Date("2026-11-24T08:07:06Z"),
  method: "POST",
  target: "/offer/response",
  rawHeaders: ["Authorization", "hmac 00"],
  status: 401,
  isEvent: true,
  durationMs: 3.4,
  body: Buffer.from(`{"offerId":"\u001b[2J${secret}"}`),
  verification: { ok: false, reason: "signature_mismatch", advice: "Compare the secrets." },
};
const mask = (text: string) => text.replaceAll(secret, "<secret>");
const format = (formattedArrival: Arrival, width = 80) =>
  formatArrival(formattedArrival, mask, (_, text) => text, width);

test("the output contains no control characters from the sender, no secret and no signature [D-102]", () => {
  expect(format(arrival).replace(/^\d\d:\d\d:06 {2}/, "")).toBe(
    'POST /offer/response  401  rejected: signature_mismatch  3 ms\n  Compare the secrets.\n  {"offerId":"\\x1b[2J<secret>"}',
  );
  expect(JSON.parse(toJsonLine(arrival, mask))).toMatchObject({ status: 401, verification: { ok: false } });
  expect(toJsonLine(arrival, mask)).not.toMatch(/hmac|5f0c9a7e/);
});

test("the output starts with the time of day, and lines break only between words", () => {
  const advice = "Compare WEBHOOK_SECRET with the secret in the company profile, letter by letter.";
  const verification = { ok: false as const, reason: "signature_mismatch", advice };
  const lines = format({ ...arrival, verification, body: Buffer.of() }, 40).split("\n");
  expect(lines[0]).toMatch(/^\d\d:\d\d:06 {2}POST /);
  expect(lines.slice(1)).toEqual([
    "  Compare WEBHOOK_SECRET with the secret",
    "  in the company profile, letter by",
    "  letter.",
  ]);
});

test("the output contains the URL to which a failed request was forwarded", () => {
  const forwardedTo = "http://localhost:3001/offers/test/auth";
  expect(format({ ...arrival, status: 404, forwardedTo })).toContain(`forwarded to ${forwardedTo}`);
  expect(format({ ...arrival, status: 200, forwardedTo })).not.toContain("forwarded to");
});

test("if the receiver rejects a verified webhook, the output advises comparing the secret", () => {
  const unverifiedArrival = { ...arrival, forwardedTo: "http://localhost:3001/offers/test/auth" };
  const verification = { ok: true as const, variant: "SHA-256", ageSeconds: 0 };
  const verifiedArrival = { ...unverifiedArrival, verification };
  expect(format(verifiedArrival, 200)).toContain(
    "/test/auth: the endpoint does not accept the secret; compare it with",
  );
  expect(format(unverifiedArrival, 200)).not.toContain("does not accept");
});

test.each([
  ["/offers", "/test", "/offers/test"],
  ["/offers", "/offers/test/auth", "/offers/test/auth"],
  ["/offers", "/offers/offer/response?a=b", "/offers/offer/response?a=b"],
  ["/offer", "/offer/response", "/offer/offer/response"],
  ["/offer", "/offer/offer/response", "/offer/offer/response"],
  ["/a/offers", "/offers/test", "/a/offers/offers/test"],
  ["/offers", "/offersmith", "/offers/offersmith"],
  ["", "/offers/test", "/offers/test"],
])("for a receiver at %j, the listener forwards %s to %s", (base, target, expected) =>
  expect(forwardedPath(parseUrl(`http://localhost:3001${base}`), target)).toBe(expected),
);

test("the listener keeps an idle connection open for longer than the 90 s of cloudflared", async () => {
  const { address } = await startListener("timestampDigest");
  const { headers } = await fetch(`${address}/test`);
  expect(Number(/^timeout=(\d+)$/.exec(headers.get("keep-alive") ?? "")?.[1])).toBeGreaterThan(90);
});

// json #140: numbers beyond the precision of a double, and repeated keys.
test("a body is indented without changing its values [D-102]", () => {
  const body =
    '{"id":9007199254740993,"rate":1e400,"id":1.0,"empty":{},"list":[ ],"text":"a, {b}: \\"[c]\\"","nested":[{"a":true},null]}';
  const lines = format({ ...arrival, body: Buffer.from(body) }).split("\n");
  expect(lines.slice(lines.indexOf("  {")).map((line) => line.slice(2))).toEqual([
    "{",
    '  "id": 9007199254740993,',
    '  "rate": 1e400,',
    '  "id": 1.0,',
    '  "empty": {},',
    '  "list": [],',
    '  "text": "a, {b}: \\"[c]\\"",',
    '  "nested": [',
    "    {",
    '      "a": true',
    "    },",
    "    null",
    "  ]",
    "}",
  ]);
});
