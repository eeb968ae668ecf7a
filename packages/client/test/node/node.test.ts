import { execFile } from "node:child_process";
import { getEventListeners, once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { promisify } from "node:util";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { Agent } from "undici";
import { expect, onTestFinished, test } from "vitest";
import { type Fetch, OffersClient } from "../../src/index.ts";
import { undiciFetch } from "../../src/node.ts";
import { input, offer } from "../support/offer.ts";

const apiKey = "key";
const offerJson = JSON.stringify(offer);

function createPool(options?: Parameters<typeof undiciFetch>[0]) {
  const pool = undiciFetch(options);
  onTestFinished(() => pool.close());
  return pool;
}

/** Starts a server that records its connections. */
async function startServer(respond: (response: ServerResponse) => unknown) {
  const sockets: Socket[] = [];
  const server = createServer((request, response) => request.resume().on("end", () => respond(response)));
  server.on("connection", (socket) => sockets.push(socket)).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets, server };
}

/** Returns the second argument that the client passes to its `fetch`. */
const createFetchInit = (signal = new AbortController().signal): Parameters<Fetch>[1] => ({
  operation: "GetOffer",
  attempt: 1,
  method: "GET",
  url: "",
  headers: {},
  body: null,
  maxResponseBytes: 10_000_000,
  signal,
  redirect: "manual",
  cache: "no-store",
});

test("reads and creations use separate connections, each up to the limit", async () => {
  const { baseUrl, sockets } = await startServer((response) => response.end(offerJson));
  const client = new OffersClient({ baseUrl, apiKey, fetch: createPool({ connections: 2 }) });
  await Promise.all(Array.from({ length: 10 }, () => client.getOffer("a")));
  expect(sockets).toHaveLength(2);
  await Promise.all(Array.from({ length: 10 }, () => client.createOffer(input)));
  for (let call = 0; call < 3; call += 1) await client.createOffer(input);
  expect(sockets).toHaveLength(4);
});

test("a response whose body is not read does not keep its connection busy", async () => {
  const { baseUrl, sockets } = await startServer((response) => response.end("x".repeat(1_000_000)));
  const pool = createPool({ connections: 1 });
  for (let call = 0; call < 3; call += 1) expect((await pool(baseUrl, createFetchInit())).status).toBe(200);
  expect(sockets).toHaveLength(1);
});

test.each([
  ["before the headers", () => {}],
  ["within the body", (response: ServerResponse) => void response.write("{")],
])("an abort %s closes the connection and leaves no listener", async (_when, respond) => {
  const { baseUrl, sockets, server } = await startServer(respond);
  const controller = new AbortController();
  const text = createPool()(baseUrl, createFetchInit(controller.signal)).then((response) => response.text());
  const rejection = text.catch((reason: unknown) => reason);
  await once(server, "request");
  const [socket = expect.unreachable()] = sockets;
  // Not `once`, which would reject if the socket is reset.
  const closed = new Promise((resolve) => socket.on("error", () => {}).once("close", resolve));
  controller.abort("enough");
  expect(await rejection).toBe("enough");
  await closed;
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("a call that is aborted while it waits for a connection is never sent", async () => {
  let requestCount = 0;
  const { baseUrl, server } = await startServer((response) => {
    requestCount += 1;
    response.flushHeaders();
  });
  const pool = createPool({ connections: 1 });
  const firstController = new AbortController();
  const firstCall = pool(baseUrl, createFetchInit(firstController.signal)).catch((reason: unknown) => reason);
  await once(server, "request");
  const secondController = new AbortController();
  const secondCall = pool(baseUrl, createFetchInit(secondController.signal)).catch((reason: unknown) => reason);
  secondController.abort("enough");
  expect(await secondCall).toBe("enough");
  await firstCall;
  firstController.abort();
  await expect(pool(baseUrl, createFetchInit(AbortSignal.abort("before")))).rejects.toBe("before");
  expect(requestCount).toBe(1);
});

test("a settled call leaves no listener on its signal", async () => {
  const { baseUrl } = await startServer((response) => response.end(offerJson));
  const { signal } = new AbortController();
  await (await createPool()(baseUrl, createFetchInit(signal))).text();
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test.each([
  ["gzip", gzipSync(offerJson)],
  ["X-GZIP", gzipSync(offerJson)],
  ["deflate", deflateSync(offerJson)],
  ["br", brotliCompressSync(offerJson)],
  ["gzip, br", brotliCompressSync(gzipSync(offerJson))],
  ["x-unknown", Buffer.from(offerJson)],
])("a body with the Content-Encoding %s is decoded as fetch decodes it", async (encoding, body) => {
  const { baseUrl } = await startServer((response) => response.setHeader("content-encoding", encoding).end(body));
  await expect(new OffersClient({ baseUrl, apiKey, fetch: createPool() }).getOffer("a")).resolves.toEqual(offer);
});

test("a truncated compressed body is a lost connection", async () => {
  const { baseUrl } = await startServer((response) => response.setHeader("content-encoding", "gzip").end("no gzip"));
  const client = new OffersClient({ baseUrl, apiKey, fetch: createPool(), maxRetries: 0 });
  await expect(client.getOffer("a")).rejects.toMatchObject({ code: "connection_lost", attempts: 1 });
});

test("a body is decoded as a whole, without its byte order mark", async () => {
  const emojiOffer = { ...offer, title: "Küchenhilfe 🍳" };
  const { baseUrl } = await startServer((response) => {
    const bytes = Buffer.from(`\uFEFF${JSON.stringify(emojiOffer)}`);
    const splitAt = bytes.indexOf("🍳") + 2;
    response.write(bytes.subarray(0, splitAt), () => response.end(bytes.subarray(splitAt)));
  });
  await expect(new OffersClient({ baseUrl, apiKey, fetch: createPool() }).getOffer("a")).resolves.toEqual(emojiOffer);
});

test("header names are case-insensitive, repeated headers are joined, and an informational response is skipped", async () => {
  const { baseUrl } = await startServer((response) => {
    response.writeEarlyHints({ link: "</style.css>; rel=preload" });
    response.setHeader("X-Team", ["kitchen", "bar"]).end(offerJson);
  });
  const { status, headers } = await createPool()(baseUrl, createFetchInit());
  expect([status, headers.get("X-TEAM"), headers.get("link"), headers.get("absent")]).toEqual([
    200,
    "kitchen, bar",
    null,
    null,
  ]);
});

test("closing waits for pending requests and closes the connections; nothing is sent afterwards", async () => {
  const { baseUrl, sockets, server } = await startServer((response) => setImmediate(() => response.end(offerJson)));
  const pool = undiciFetch();
  const client = new OffersClient({ baseUrl, apiKey, fetch: pool, maxRetries: 0 });
  const pending = client.getOffer("a");
  await once(server, "request");
  const [socket = expect.unreachable()] = sockets;
  await Promise.all([once(socket, "close"), pool[Symbol.asyncDispose]()]);
  await expect(pending).resolves.toEqual(offer);
  await expect(client.createOffer(input)).rejects.toMatchObject({ code: "connect_failed" });
});

test("closing does not close a dispatcher that the caller passed", async () => {
  const { baseUrl } = await startServer((response) => response.end(offerJson));
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.close());
  const pool = undiciFetch({ dispatcher });
  await pool.close();
  await expect(new OffersClient({ baseUrl, apiKey, fetch: pool }).getOffer("a")).resolves.toEqual(offer);
});

test("idle connections don't keep a process running", async () => {
  const { baseUrl } = await startServer((response) => response.setHeader("keep-alive", "timeout=600").end(offerJson));
  const program = `
    import { OffersClient } from "./src/index.ts";
    import { undiciFetch } from "./src/node.ts";
    const client = new OffersClient({ baseUrl: "${baseUrl}", apiKey: "key", fetch: undiciFetch() });
    await client.createOffer({ createdByUserId: "u", title: "t", workerIds: ["w"] });
    console.log((await client.getOffer("a")).id);`;
  const args = ["--input-type=module", "--disable-warning=ExperimentalWarning", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: `${import.meta.dirname}/../..` });
  expect(stdout.trim()).toBe(offer.id);
});
