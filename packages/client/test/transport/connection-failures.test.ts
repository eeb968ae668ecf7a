// Real connection failures from the kernel and OpenSSL, through `node:http`, Node's fetch and undici's.
import dns, { type LookupAddress } from "node:dns";
import { once } from "node:events";
import { Agent as HttpAgent } from "node:http";
import { createSecureServer } from "node:http2";
import { Agent as TlsAgent } from "node:https";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import type { SecureVersion } from "node:tls";
import { Worker } from "node:worker_threads";
import { Agent, fetch as fetchFromUndici } from "undici";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Fetch, OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { input, offer } from "../support/offer.ts";
import { createAuthority } from "../support/serve-tls.ts";

const apiKey = "key-of-harbour-hotels";

/**
 * Opens a port on 127.0.0.2 where connecting hangs, because nobody accepts and the kernel's queue is full. 127.0.0.1 refuses connections to
 * that port.
 */
async function openHangingPort(): Promise<number> {
  // The worker blocks its thread, so it never accepts a connection.
  const worker = new Worker(
    `const server = require("node:net").createServer().listen({ port: 0, host: "127.0.0.2", backlog: 1 }, () => {
      require("node:worker_threads").parentPort.postMessage(server.address().port);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
    });`,
    { eval: true },
  );
  const [port] = (await once(worker, "message")) as [number];
  const sockets = Array.from({ length: 8 }, () => connect(port, "127.0.0.2").on("error", () => {}));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await worker.terminate();
  });
  // A queue of this length holds two connections.
  await Promise.all(sockets.slice(0, 2).map((socket) => once(socket, "connect")));
  return port;
}

/** Resolves every name to both addresses, starting with the one that hangs. */
const lookup = (_name: string, _options: object, callback: (error: null, addresses: LookupAddress[]) => void) =>
  callback(
    null,
    ["127.0.0.2", "127.0.0.1"].map((address) => ({ address, family: 4 })),
  );

test.each<[string, () => Partial<OffersClientOptions>]>([
  ["node:http", () => ({ agent: new HttpAgent({ lookup: lookup as never }) })],
  [
    "Node's fetch",
    () => {
      vi.spyOn(dns, "lookup").mockImplementation(lookup as never);
      onTestFinished(() => void vi.restoreAllMocks());
      return { fetch: (url, init) => fetch(url, init) };
    },
  ],
  [
    "undici's fetch",
    () => {
      const dispatcher = new Agent({ connect: { lookup: lookup as never } });
      onTestFinished(() => dispatcher.close());
      return { fetch: (url, init) => fetchFromUndici(url, { ...init, dispatcher }) };
    },
  ],
])(
  "%s reports that the request was not sent when one address hangs and the next refuses the connection",
  async (_name, createOptions) => {
    const baseUrl = `http://localhost:${await openHangingPort()}`;
    const client = new OffersClient({ baseUrl, apiKey, ...createOptions(), maxRetries: 1 });
    const error = await client.createOffer(input).catch((error: unknown) => error);
    // The AggregateError has the code of the first address.
    expect(error).toMatchObject({
      code: "connect_failed",
      attempts: 2,
      cause: { code: "ETIMEDOUT", syscall: "connect" },
    });
  },
);

const { ca, ...certificate } = createAuthority();

/** Starts a TLS service behind a proxy that changes a byte in the record that starts the first response. */
async function startDamagedService(transport: "node:http" | "undici", maxVersion: SecureVersion, byteIndex: number) {
  const receivedMethods: string[] = [];
  // Set by the first request, and reset when the first record of its response has been damaged.
  let shouldDamage = false;
  const service = createSecureServer({ ...certificate, maxVersion, allowHTTP1: true }, (request, response) => {
    receivedMethods.push(request.method);
    shouldDamage = receivedMethods.length === 1;
    request.resume().on("end", () => response.end(JSON.stringify(offer)));
  });
  service.on("sessionError", () => {}).listen(0, "127.0.0.1");
  await once(service, "listening");
  const sockets = new Set<Socket>();
  const proxy = createServer((client) => {
    const upstream = connect((service.address() as AddressInfo).port, "127.0.0.1");
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => {}));
    client.pipe(upstream).on("close", () => client.destroy());
    upstream.on("data", (record: Buffer) => {
      if (shouldDamage) record[byteIndex] = 0x55 ^ (record[byteIndex] as number);
      shouldDamage = false;
      client.write(record);
    });
  }).listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const dispatcher = new Agent({ connect: { ca } });
  onTestFinished(async () => {
    await dispatcher.destroy();
    for (const socket of sockets) socket.destroy();
    proxy.close();
    service.close();
  });
  const baseUrl = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  // Uses HTTP/2, undici's default, because over HTTP/1.1 undici reports "other side closed" instead of OpenSSL's error.
  const fetch: Fetch = (url, init) => fetchFromUndici(url, { ...init, dispatcher });
  const options = transport === "undici" ? { fetch } : { agent: new TlsAgent({ keepAlive: true, ca }) };
  return { client: new OffersClient({ baseUrl, apiKey, ...options }), receivedMethods };
}

test.each<[SecureVersion, part: string, byte: number]>([
  ["TLSv1.3", "type", 0],
  ["TLSv1.3", "length", 3],
  ["TLSv1.3", "ciphertext", 20],
  ["TLSv1.2", "ciphertext", 20],
])("a %s record whose %s is damaged after the handshake results in a lost connection", async (version, _part, byte) => {
  for (const transport of ["undici", "node:http"] as const) {
    const creationService = await startDamagedService(transport, version, byte);
    const error = await creationService.client.createOffer(input).catch((error: unknown) => error);
    expect(error).toMatchObject({
      code: "connection_lost",
      attempts: 1,
      cause: { code: expect.stringMatching(/^ERR_SSL/) },
    });
    expect(creationService.receivedMethods).toEqual(["POST"]);
    const readService = await startDamagedService(transport, version, byte);
    expect(await readService.client.getOffer("a").withResponse()).toMatchObject({ attempts: 2, data: offer });
    expect(readService.receivedMethods).toEqual(["GET", "GET"]);
  }
});
