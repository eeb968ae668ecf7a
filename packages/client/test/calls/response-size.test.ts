import { Agent, createServer, type ServerResponse } from "node:http";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { expect, onTestFinished, test } from "vitest";
import { type AnyOffersError, type Fetch, OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { createOpenApiClient } from "../../src/openapi-fetch.ts";
import { validateResponses } from "../../src/schemas.ts";
import { input, offer } from "../support/offer.ts";
import { listen } from "../support/serve.ts";

const apiKey = "key";
const mebibyte = 1_048_576;

/** Starts a server that records when its connections close. */
async function startServer(respond: (response: ServerResponse) => void) {
  const closeEvents: Promise<unknown>[] = [];
  const server = createServer((request, response) => request.resume().on("end", () => respond(response)));
  server.on("connection", (socket) => {
    closeEvents.push(new Promise((resolve) => socket.on("error", () => {}).once("close", resolve)));
  });
  return { baseUrl: await listen(server), closeEvents };
}

/** Sends a body that never ends. */
function sendEndlessBody(response: ServerResponse) {
  response.writeHead(200, { "content-type": "application/json" });
  const chunk = Buffer.alloc(65_536, " ");
  const writeChunks = () => {
    // `write` returns false while the buffer is full. The "drain" event then continues.
    while (!response.destroyed && response.write(chunk));
  };
  response.on("drain", writeChunks).on("error", () => {});
  writeChunks();
}

const catchError = (call: Promise<unknown>): Promise<AnyOffersError> =>
  call.then(
    () => expect.unreachable(),
    (error) => error,
  );

const runtimeFetch: Fetch = (url, init) => fetch(url, init);

function createAgent(): Agent {
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  return agent;
}

const transports: [string, () => Partial<OffersClientOptions>][] = [
  ["the runtime's fetch", () => ({ fetch: runtimeFetch })],
  ["node:http", () => ({ agent: createAgent() })],
  ["fetch and middleware that validates", () => ({ fetch: runtimeFetch, middleware: [validateResponses()] })],
  ["node:http and middleware that validates", () => ({ agent: createAgent(), middleware: [validateResponses()] })],
];

test.each(transports)(
  "the client stops reading an endless body at 10 MiB and closes the connection: %s [D-98]",
  async (_what, options) => {
    const { baseUrl, closeEvents } = await startServer(sendEndlessBody);
    const error = await catchError(new OffersClient({ baseUrl, apiKey, ...options() }).getOffer("a"));
    expect(error).toMatchObject({ name: "InvalidResponseError", code: "response_too_large", status: 200, attempts: 1 });
    expect(error.message).toMatch(/^GetOffer at 127\.0\.0\.1:\d+: .*maxResponseBytes.*10485760/);
    await Promise.all(closeEvents);
  },
);

const bomb = Buffer.alloc(40 * mebibyte, " ");
const gzipped = gzipSync(bomb);
const bombs = [
  ["gzip", gzipped],
  // At the default quality, compression takes seconds.
  ["br", brotliCompressSync(bomb, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ["gzip, gzip", gzipSync(gzipped)],
] as const;

test.each(transports)(
  "the limit also applies to the decompressed size of a compressed body: %s [D-98]",
  async (_what, options) => {
    for (const [encoding, bytes] of bombs) {
      const { baseUrl } = await startServer((response) => response.setHeader("content-encoding", encoding).end(bytes));
      const error = await catchError(new OffersClient({ baseUrl, apiKey, ...options() }).getOffer("a"));
      expect(error).toMatchObject({ code: "response_too_large", status: 200 });
    }
  },
);

test.each(transports)("the limit is exact, with and without Content-Length: %s", async (_what, options) => {
  const text = JSON.stringify(offer);
  for (const write of [
    (response: ServerResponse) => void response.end(text),
    (response: ServerResponse) => response.write(text.slice(0, 9), () => response.end(text.slice(9))),
    (response: ServerResponse) => response.setHeader("content-encoding", "gzip").end(gzipSync(text)),
  ]) {
    const { baseUrl } = await startServer((response) => void write(response));
    const createClient = (maxResponseBytes: number) =>
      new OffersClient({ baseUrl, apiKey, maxResponseBytes, ...options() });
    await expect(createClient(Buffer.byteLength(text)).getOffer("a")).resolves.toEqual(offer);
    expect(await catchError(createClient(Buffer.byteLength(text) - 1).getOffer("a"))).toMatchObject({
      code: "response_too_large",
    });
  }
});

test.each(transports)(
  "the body of an error response is limited too, and the status still determines the error class: %s [D-98]",
  async (_what, options) => {
    const { baseUrl } = await startServer((response) => response.writeHead(409).end(" ".repeat(11 * mebibyte)));
    const error = await catchError(new OffersClient({ baseUrl, apiKey, ...options() }).getOffer("a"));
    expect(error).toMatchObject({ name: "ConflictError", code: "conflict", status: 409, problem: undefined });
  },
);

test("creations, completions, withdrawals and openapi-fetch have the same limit", async () => {
  const { baseUrl } = await startServer(sendEndlessBody);
  const options = { baseUrl, apiKey, maxResponseBytes: 1_000 };
  const client = new OffersClient(options);
  for (const call of [
    () => client.createOffer(input),
    () => client.completeOffer("a", ["w"]),
    () => client.withdrawOffer("a"),
  ])
    expect(await catchError(call())).toMatchObject({ code: "response_too_large", attempts: 1 });
  const { error } = await createOpenApiClient(options).GET("/offer/{id}", { params: { path: { id: "a" } } });
  expect(error).toMatchObject({ code: "response_too_large", status: 200 });
});

test("a body that fetch returns without a stream is limited by the length of its text", async () => {
  const fetch: Fetch = async () => ({ status: 200, headers: new Headers(), text: async () => " ".repeat(1_001) });
  const client = new OffersClient({ baseUrl: "https://service.example", apiKey, fetch, maxResponseBytes: 1_000 });
  expect(await catchError(client.getOffer("a"))).toMatchObject({ code: "response_too_large" });
});

test("a multi-byte character that is split between two chunks is read correctly", async () => {
  const emojiOffer = { ...offer, title: "Küchenhilfe 🍳" };
  const bytes = Buffer.from(`\uFEFF${JSON.stringify(emojiOffer)}`);
  const splitAt = bytes.indexOf("🍳") + 2;
  const { baseUrl } = await startServer((response) => {
    response.write(bytes.subarray(0, splitAt), () => setImmediate(() => response.end(bytes.subarray(splitAt))));
  });
  await expect(new OffersClient({ baseUrl, apiKey }).getOffer("a")).resolves.toEqual(emojiOffer);
});

test.each([0, -1, 1.5, Number.NaN, 2_147_483_648, "10", null])("a limit of %j is rejected", (maxResponseBytes) =>
  expect(
    () =>
      new OffersClient({ baseUrl: "https://service.example", apiKey, maxResponseBytes: maxResponseBytes as number }),
  ).toThrow(expect.objectContaining({ code: "invalid_option", message: expect.stringContaining("maxResponseBytes") })),
);
