// What a server may send, as raw bytes: `node:http` must treat it as Node's `fetch` does.
import { once } from "node:events";
import { Agent } from "node:http";
import type { Socket } from "node:net";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { startTcpServer } from "../support/mistake.ts";
import { input, offer } from "../support/offer.ts";

type Send = (socket: Socket) => void;

/** Starts a server that calls the next function for each request, and the last one for all others. */
async function startServer(...responses: Send[]) {
  const sockets: Socket[] = [];
  let count = 0;
  const baseUrl = await startTcpServer((socket) => {
    sockets.push(socket);
    let received = "";
    socket.on("data", (data) => {
      received += data.toString("latin1");
      const { index } = /\r\n\r\n/.exec(received) ?? {};
      const [, length = 0] = /content-length: (\d+)/i.exec(received) ?? [];
      if (index === undefined || received.length < index + 4 + Number(length)) return;
      received = "";
      responses[Math.min(count, responses.length - 1)]?.(socket);
      count += 1;
    });
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return { baseUrl, sockets };
}

const respond =
  (statusLine: string, headers: string[], body: string | Uint8Array = ""): Send =>
  (socket) => {
    socket.write([`HTTP/1.1 ${statusLine}`, ...headers, "", ""].join("\r\n"));
    socket.write(body);
  };
const withLength = (statusLine: string, headers: string[], body: string | Uint8Array = "") =>
  respond(statusLine, [...headers, `content-length: ${Buffer.byteLength(body)}`], body);

const text = JSON.stringify(offer);
const encoded = (coding: string, body: string | Uint8Array) =>
  withLength("200 OK", [`content-encoding: ${coding}`], body);
const respondNormally = withLength("200 OK", [], text);

const transports: [string, () => Partial<OffersClientOptions>][] = [
  ["fetch", () => ({ fetch: (url, init) => fetch(url, init) })],
  [
    "node:http",
    () => {
      const agent = new Agent({ keepAlive: true });
      onTestFinished(() => agent.destroy());
      return { agent };
    },
  ],
];

/** Calls an operation, and returns what the caller notices. */
async function observe(operation: keyof typeof calls, send: Send, options: Partial<OffersClientOptions>) {
  const { baseUrl } = await startServer(send);
  const client = new OffersClient({ baseUrl, apiKey: "key", maxRetries: 0, ...options });
  const result = await calls[operation](client).safe();
  return result.ok ? result.data : result.error.code;
}

const calls = {
  read: (client: OffersClient) => client.getOffer("a"),
  complete: (client: OffersClient) => client.completeOffer("a", ["w"]),
  withdraw: (client: OffersClient) => client.withdrawOffer("a"),
};

type Case = [string, keyof typeof calls, Send, unknown];

// The fetch of Node 22 has undici 6, which does not decode it.
const zstdCases: Case[] = process.versions.undici?.startsWith("6.")
  ? []
  : [["zstd", "read", encoded("zstd", zstdCompressSync(text)), offer]];

test.each<Case>([
  ["gzip", "read", encoded("gzip", gzipSync(text)), offer],
  ["X-GZIP", "read", encoded("X-GZIP", gzipSync(text)), offer],
  ["deflate", "read", encoded("deflate", deflateSync(text)), offer],
  ["deflate without zlib's header", "read", encoded("deflate", deflateRawSync(text)), offer],
  ["br", "read", encoded("br", brotliCompressSync(text)), offer],
  ...zstdCases,
  ["gzip, br", "read", encoded("gzip, br", brotliCompressSync(gzipSync(text))), offer],
  ["an unknown coding", "read", encoded("x-unknown", text), offer],
  ["an unknown coding below gzip", "read", encoded("x-unknown, gzip", gzipSync(text)), "invalid_response"],
  ["gzip that is not gzip", "read", encoded("gzip", text), "connection_lost"],
  ["gzip that ends early", "read", encoded("gzip", gzipSync(text).subarray(0, 60)), "invalid_response"],
  ["gzip for a completion without a body", "complete", encoded("gzip", ""), undefined],
  ["gzip for a 404 without a body", "read", withLength("404 Not Found", ["content-encoding: gzip"]), "not_found"],
  ["gzip for a 204", "withdraw", respond("204 No Content", ["content-encoding: gzip"]), undefined],
  ["a 204 that brings a body", "withdraw", withLength("204 No Content", [], text), undefined],
  ["a byte order mark", "read", withLength("200 OK", [], `\uFEFF${text}`), offer],
  ["a redirect", "read", withLength("302 Found", ["location: /elsewhere"]), "unexpected_redirect"],
  ["an upgrade", "read", respond("101 Switching Protocols", ["upgrade: x", "connection: upgrade"]), "connection_lost"],
  ["a header that is invalid", "read", respond("200 OK", ["no colon"], text), "connection_lost"],
  ["a header that is too long", "read", withLength("200 OK", [`x: ${"x".repeat(20_000)}`], text), "connection_lost"],
  ["an answer that is not HTTP", "read", (socket) => socket.write("SSH-2.0-OpenSSH\r\n"), "connection_lost"],
  [
    "a body that ends early",
    "read",
    (socket) => socket.end(`HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n${text}`),
    "connection_lost",
  ],
])("%s means the same through node:http as through fetch [D-166]", async (_what, operation, send, expected) => {
  for (const [, createOptions] of transports) expect(await observe(operation, send, createOptions())).toEqual(expected);
});

test("a second response to one request is never taken for the response to the next", async () => {
  const second = withLength("200 OK", [], JSON.stringify({ ...offer, title: "Not yours" }));
  const sendTwice: Send = (socket) => {
    respondNormally(socket);
    second(socket);
  };
  for (const [, createOptions] of transports) {
    const { baseUrl } = await startServer(sendTwice, respondNormally);
    const client = new OffersClient({ baseUrl, apiKey: "key", ...createOptions() });
    expect([await client.getOffer("a"), await client.getOffer("a")]).toEqual([offer, offer]);
  }
});

test("a response that arrives while the request is still being sent ends the call", async () => {
  for (const [, createOptions] of transports) {
    const baseUrl = await startTcpServer((socket) => {
      socket.once("data", () => withLength("413 Content Too Large", [])(socket)).resume();
      onTestFinished(() => void socket.destroy());
    });
    const client = new OffersClient({ baseUrl, apiKey: "key", ...createOptions() });
    const workerIds = Array.from({ length: 200_000 }, (_, index) => `worker_${index}`);
    await expect(client.completeOffer("a", workerIds)).rejects.toMatchObject({ code: "bad_request", status: 413 });
  }
});

test("through node:http, a connection that is reset while idle raises no error, and the next call succeeds", async () => {
  const [, createOptions] = transports[1] ?? expect.unreachable();
  const { baseUrl, sockets } = await startServer(respondNormally);
  const { agent = expect.unreachable() } = createOptions();
  const client = new OffersClient({ baseUrl, apiKey: "key", agent });
  await client.getOffer("a");
  const [idleSocket = expect.unreachable()] = Object.values(agent.freeSockets as Agent["freeSockets"]).flat();
  sockets[0]?.resetAndDestroy();
  await once(idleSocket, "close");
  await expect(client.createOffer(input)).resolves.toEqual({ id: offer.id });
  expect(sockets).toHaveLength(2);
});
