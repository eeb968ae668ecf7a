import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect } from "vitest";
import { fc } from "../../../../scripts/property-seed.ts";
import { createListener } from "../../src/listen/listener.ts";
import { parseUrl } from "../../src/wire/receiver-url.ts";

/** A random request. */
interface RandomRequest {
  method: string;
  target: string;
  headers: [string, string][];
  body: Uint8Array;
  isChunked: boolean;
}

const tokenCharacters = [..."!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"];
const token = fc.string({ unit: fc.constantFrom(...tokenCharacters), minLength: 1, maxLength: 12 });
const visibleText = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
  maxLength: 30,
});
const targetText = visibleText.map((text) => `/${text.replaceAll("#", "")}`);

/** A header value, which may contain white space and bytes beyond ASCII. */
const headerValue = fc
  .string({ unit: fc.constantFrom(..." \tabcXYZ019,;=\"'/\\é\u00ff\u0080"), maxLength: 30 })
  .map((text) => text.trim());

/** Matches headers that a proxy must not forward (RFC 9110, section 7.6.1), and framing headers. */
const reservedHeader =
  /^(host|connection|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade|content-length|expect)$/i;

const randomRequest: fc.Arbitrary<RandomRequest> = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"),
  target: targetText,
  headers: fc.array(
    fc.tuple(
      token.filter((name) => !reservedHeader.test(name)),
      headerValue,
    ),
    { maxLength: 12 },
  ),
  body: fc.uint8Array({ maxLength: 2_000 }),
  isChunked: fc.boolean(),
});

const randomResponse = fc.record({
  status: fc.integer({ min: 200, max: 599 }).filter((status) => status !== 204 && status !== 205 && status !== 304),
  headers: fc.array(
    fc.tuple(
      token.filter((name) => !reservedHeader.test(name)),
      headerValue,
    ),
    { maxLength: 8 },
  ),
  body: fc.uint8Array({ maxLength: 2_000 }),
});

const formatHeaders = (headers: [string, string][]) => headers.map(([name, text]) => `${name}: ${text}\r\n`).join("");

function serialiseRequest({ method, target, headers, body, isChunked }: RandomRequest): Buffer {
  const framing = isChunked ? "Transfer-Encoding: chunked\r\n" : `Content-Length: ${body.length}\r\n`;
  const half = Math.floor(body.length / 2);
  const toChunk = (bytes: Uint8Array) =>
    bytes.length === 0
      ? []
      : [Buffer.from(`${bytes.length.toString(16)}\r\n`), Buffer.from(bytes), Buffer.from("\r\n")];
  const content = isChunked
    ? [...toChunk(body.slice(0, half)), ...toChunk(body.slice(half)), Buffer.from("0\r\n\r\n")]
    : [Buffer.from(body)];
  const head = `${method} ${target} HTTP/1.1\r\nHost: given.example\r\n${formatHeaders(headers)}${framing}Connection: close\r\n\r\n`;
  return Buffer.concat([Buffer.from(head, "latin1"), ...content]);
}

/** Reads one request with a Content-Length, or without a body, as raw bytes. */
function readRequest(socket: Socket): Promise<{ head: string; body: Buffer }> {
  return new Promise((resolve) => {
    let bytes = Buffer.alloc(0);
    socket.on("data", (chunk) => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0) return;
      const head = bytes.toString("latin1", 0, end);
      const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      const body = bytes.subarray(end + 4);
      if (body.length >= length) resolve({ head, body });
    });
  });
}

/** Sends random requests through `offers listen --forward-to`, and compares the bytes on both sides. */
export async function testByteForByteForwarding(runCount: number): Promise<void> {
  let nextResponse: { status: number; headers: [string, string][]; body: Uint8Array } | undefined;
  const arrivals: { head: string; body: Buffer }[] = [];
  const receiver = createServer((socket) => {
    socket.on("error", () => undefined);
    readRequest(socket).then(
      (request) => {
        arrivals.push(request);
        const { status, headers, body } = nextResponse ?? { status: 500, headers: [], body: Buffer.of() };
        const head = `HTTP/1.1 ${status} As Planned\r\n${formatHeaders(headers)}Content-Length: ${body.length}\r\n\r\n`;
        socket.end(Buffer.concat([Buffer.from(head, "latin1"), body]));
      },
      () => socket.destroy(),
    );
  });
  const receiverPort = await startListening(receiver);
  const listener = createListener({
    scheme: "timestampDigest",
    secret: "a secret that signs nothing here",
    timeoutMs: 10_000,
    forwardTo: parseUrl(`http://127.0.0.1:${receiverPort}/base`),
    onArrival: () => undefined,
  });
  const port = await startListening(listener);
  try {
    await fc.assert(
      fc.asyncProperty(randomRequest, randomResponse, async (request, response) => {
        nextResponse = response;
        arrivals.length = 0;
        const socket = connect(port, "127.0.0.1");
        socket.write(serialiseRequest(request));
        const received = await buffer(socket);
        const { body } = request;
        const length: [string, string] = ["Content-Length", String(body.length)];
        const expectedHead = [
          `${request.method} /base${request.target} HTTP/1.1`,
          `Host: 127.0.0.1:${receiverPort}`,
          ...[...request.headers, length].map(([name, text]) => `${name}: ${text}`),
          "Connection: close",
        ];
        expect(arrivals[0]?.head.split("\r\n")).toEqual(expectedHead);
        expect(arrivals[0]?.body.equals(body)).toBe(true);
        const end = received.indexOf("\r\n\r\n");
        const receivedLines = received.toString("latin1", 0, end).split("\r\n");
        const expectedLines = [...response.headers, ["Content-Length", String(response.body.length)]];
        expect(receivedLines.slice(0, 1 + expectedLines.length)).toEqual([
          `HTTP/1.1 ${response.status} As Planned`,
          ...expectedLines.map(([name, text]) => `${name}: ${text}`),
        ]);
        expect(received.subarray(end + 4).equals(response.body)).toBe(true);
      }),
      { numRuns: runCount },
    );
  } finally {
    receiver.close();
    listener.close();
  }
}

async function startListening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
