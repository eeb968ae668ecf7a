import { connect } from "node:net";
import { describe, expect, test, vi } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { webhookRouter } from "../../src/express.ts";
import { headerPairs, schemes } from "../signature/property-schemes.ts";
import { captureConsole } from "../support/capture-console.ts";
import { anyText, runOptions } from "../support/property-runs.ts";
import { expressVersions, quietOptions, serve } from "../support/serve.ts";

captureConsole();

/** Sends bytes over a new connection. @returns the statuses of the responses that arrive before the connection closes */
async function sendBytes(port: number, bytes: Buffer): Promise<number[]> {
  const socket = connect(port, "127.0.0.1");
  const chunks: Buffer[] = [];
  await new Promise<void>((resolve) => {
    socket.on("data", (chunk) => chunks.push(chunk));
    // A server that has read enough may hang up while bytes are still being sent.
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    socket.end(bytes);
  });
  // Latin-1 decodes any bytes, and the status lines are ASCII.
  const responses = Buffer.concat(chunks).toString("latin1");
  return [...responses.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => Number(status));
}

const anyBytes = fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes));
/** Generates bytes without control characters, so that they cannot end a header line. */
const lineBytes = anyBytes.map((bytes) => bytes.map((byte) => (byte < 0x20 || byte === 0x7f ? byte + 0x80 : byte)));

const postPaths = ["/contact-suggestions", "/offer/response", "/offer/eventDeleted"];
const paths = ["/test", "/test/auth", "/contact/new/amal", ...postPaths];
const path = fc.oneof(
  fc.constantFrom(...paths).map((text) => Buffer.from(text)),
  lineBytes.map((bytes) => Buffer.concat([Buffer.from("/contact/new/"), bytes])),
  fc.tuple(fc.constantFrom(...paths), lineBytes).map(([text, bytes]) => Buffer.concat([Buffer.from(text), bytes])),
  anyBytes,
);
const method = fc.oneof(fc.constantFrom("GET", "POST", "HEAD", "OPTIONS", "PUT", "DELETE"), anyText);
const knownHeaders = [
  "content-type",
  "content-length",
  "content-encoding",
  "transfer-encoding",
  "expect",
  "offers-delivery-id",
];

const body = fc.oneof(
  anyBytes,
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
  fc
    .constantFrom("", "{", "null", '{"offerId":"o1","workerId":"w1","response":"accepted"}')
    .map((text) => Buffer.from(text)),
);

/** Generates arbitrary requests, most of them malformed. */
const arbitraryRequest = (headerNames: readonly string[]) =>
  fc.record({
    method,
    path,
    headers: fc.array(
      fc.tuple(fc.oneof(fc.constantFrom(...headerNames, ...knownHeaders), anyText), fc.oneof(lineBytes, anyBytes)),
    ),
    body,
  });

/** Generates requests that pass as many checks as possible: a method that matches the path, and a JSON content type. */
const plausibleRequest = fc.oneof(
  fc.record({
    method: fc.constant("GET"),
    path: fc
      .oneof(
        lineBytes,
        fc.constantFrom("amal", "%", "%zz", "%ff", "%2F..", "%00").map((text) => Buffer.from(text)),
      )
      .map((bytes) => Buffer.concat([Buffer.from("/contact/new/"), bytes])),
    headers: fc.constant([]),
    body: fc.constant(Buffer.of()),
  }),
  fc.record({
    method: fc.constant("POST"),
    path: fc.constantFrom(...postPaths).map((text) => Buffer.from(text)),
    headers: fc.constant([["content-type", Buffer.from("application/json")] as [string, Uint8Array]]),
    body,
  }),
);

type RawRequest = { method: string; path: Uint8Array; headers: readonly [string, Uint8Array][]; body: Uint8Array };

/** Serialises a request. Its content length is correct unless `headers` contains a different one. */
function serialise(
  { method, path, headers, body }: RawRequest,
  signatureHeaders: Readonly<Record<string, string>> = {},
): Buffer {
  const line = (...parts: (string | Uint8Array)[]) =>
    Buffer.concat([...parts.map((part) => Buffer.from(part as string)), Buffer.from("\r\n")]);
  const defaultHeaders = [
    ["host", "a"],
    ["connection", "close"],
    ["content-length", String(body.length)],
    ...headerPairs(signatureHeaders),
  ];
  return Buffer.concat([
    line(method, " ", path, " HTTP/1.1"),
    ...defaultHeaders.map(([name = "", value = ""]) => line(name, ": ", value)),
    ...headers.map(([name, value]) => line(name, ": ", value)),
    line(),
    body,
  ]);
}

describe.each(
  expressVersions.flatMap(({ version, express }) => schemes.map((scheme) => ({ version, express, scheme }))),
)("Express $version and $scheme.name on a socket", ({ express, scheme: { variants, names } }) => {
  const [scheme] = variants;
  const secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
  const otherSecret = "whsec_bmV3IHNlY3JldCBvZiB0d2VudHkgYnl0ZXM=";

  async function startReceiver() {
    const handler = vi.fn();
    const onError = vi.fn();
    const app = express().use(
      webhookRouter({
        ...quietOptions,
        secret,
        scheme,
        onError,
        deduplication: false,
        onWorkerAddedContact: handler,
        onWorkerOfferResponse: handler,
        onOfferEventDeleted: handler,
        onTimelineChanged: handler,
        suggestContacts: () => handler() ?? [],
      }),
    );
    const { port } = await serve(app);
    return { port, handler, onError };
  }

  test("bytes without a valid signature never reach a handler and never get a 5xx", async () => {
    const { port, handler, onError } = await startReceiver();
    await fc.assert(
      fc.asyncProperty(fc.oneof(arbitraryRequest(names), plausibleRequest), fc.boolean(), async (request, isSigned) => {
        const signature = isSigned ? scheme.sign({ secret: otherSecret, now: new Date(), body: request.body }) : {};
        const statuses = await sendBytes(port, serialise(request, signature));
        for (const status of statuses) expect(status).toBeLessThan(500);
      }),
      runOptions(200),
    );
    expect([handler.mock.calls, onError.mock.calls]).toEqual([[], []]);
  });

  test("an unsigned request to a webhook path gets 400 or 401", async () => {
    const { port, handler, onError } = await startReceiver();
    const headerValue = fc.oneof(
      lineBytes,
      anyText.map((text) => Buffer.from(text.replace(/[^\x20-\x7e]/g, "x"))),
    );
    await fc.assert(
      fc.asyncProperty(fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), headerValue))), async (headers) => {
        const post = { method: "POST", path: Buffer.from("/offer/response"), headers, body: Buffer.from("{}") };
        const statuses = await sendBytes(port, serialise(post));
        expect([[400], [401]]).toContainEqual(statuses);
      }),
      runOptions(200),
    );
    expect([handler.mock.calls, onError.mock.calls]).toEqual([[], []]);
  });

  test("a signed request never gets a 5xx, whatever its content", async () => {
    const { port, handler, onError } = await startReceiver();
    await fc.assert(
      fc.asyncProperty(fc.oneof(arbitraryRequest(knownHeaders), plausibleRequest), async (request) => {
        const signature = scheme.sign({ secret, now: new Date(), body: request.body });
        const statuses = await sendBytes(port, serialise(request, signature));
        for (const status of statuses) expect(status).toBeLessThan(500);
      }),
      runOptions(200),
    );
    expect(onError.mock.calls).toEqual([]);
    expect(handler).toHaveBeenCalled();
  });
});
