// Simulates, with real sockets, how a load balancer, a NAT or a frozen process drops an idle connection.
import { once } from "node:events";
import { Agent, type AgentOptions, createServer as createHttpServer, get } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { isFresh, type Moment } from "../../src/transport/idle-sockets.ts";
import { input } from "../support/offer.ts";

/** Starts a service that counts the offers it creates, and returns its port. */
async function startOffersService(counts: { offers: number }): Promise<number> {
  const service = createHttpServer({ keepAliveTimeout: 60_000 }, (request, response) => {
    request.resume().on("end", () => {
      counts.offers += 1;
      response.end(`{"id":"offer_${counts.offers}"}`);
    });
  }).listen(0, "127.0.0.1");
  await once(service, "listening");
  onTestFinished(() => void service.close());
  return (service.address() as AddressInfo).port;
}

/** Starts a service behind a load balancer that resets a connection at the next request after it has been idle for `idleMs`. */
async function startDroppingService(idleMs: number) {
  const counts = { connections: 0, offers: 0 };
  const servicePort = await startOffersService(counts);
  const sockets = new Set<Socket>();
  const balancer = createServer((client) => {
    counts.connections += 1;
    const upstream = connect(servicePort, "127.0.0.1");
    let lastDataAt: number | undefined;
    for (const socket of [client, upstream]) sockets.add(socket.on("error", () => {}));
    client.on("data", (data) => {
      if (lastDataAt !== undefined && performance.now() - lastDataAt >= idleMs) client.resetAndDestroy();
      else upstream.write(data);
    });
    upstream.on("data", (data) => {
      lastDataAt = performance.now();
      client.write(data);
    });
  }).listen(0, "127.0.0.1");
  await once(balancer, "listening");
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    balancer.close();
  });
  return { baseUrl: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`, counts };
}

function createAgent(options: AgentOptions = {}) {
  const agent = new Agent({ keepAlive: true, ...options });
  onTestFinished(() => agent.destroy());
  return agent;
}

test.each<[string, () => Partial<OffersClientOptions>]>([
  ["node:http", () => ({ agent: createAgent() })],
  ["node:http with one connection", () => ({ agent: createAgent({ maxSockets: 1, maxTotalSockets: 1 }) })],
])(
  "through %s, a creation never uses a connection that was dropped while idle [D-142]",
  async (_name, createOptions) => {
    const { baseUrl, counts } = await startDroppingService(350);
    const client = new OffersClient({ baseUrl, apiKey: "key", ...createOptions() });
    for (let call = 1; call <= 4; call += 1) {
      await client.getOffer("a").catch(() => {});
      expect(await client.createOffer(input)).toEqual({ id: `offer_${counts.offers}` });
      await pause(400);
    }
  },
);

test("through fetch, a creation after a pause loses its connection [D-142]", async () => {
  const { baseUrl } = await startDroppingService(350);
  const client = new OffersClient({ baseUrl, apiKey: "key", fetch: (url, init) => fetch(url, init) });
  await client.createOffer(input);
  await pause(400);
  await expect(client.createOffer(input)).rejects.toMatchObject({ code: "connection_lost", attempts: 1 });
});

test.each<[string, Partial<Moment>, boolean]>([
  ["299 ms by both clocks", { monotonicMs: 299, wallMs: 299 }, true],
  ["300 ms by the monotonic clock", { monotonicMs: 300 }, false],
  ["300 ms by the wall clock, while the monotonic clock was stopped", { wallMs: 300 }, false],
  ["an unknown time, because the wall clock was set back", { wallMs: -1 }, false],
])("a connection that has been idle for %s (%o) is reused for a creation: %s [D-142]", (_time, elapsed, isReused) => {
  const lastUse: Moment = { monotonicMs: 0, wallMs: 0 };
  expect(isFresh(lastUse, { ...lastUse, ...elapsed })).toBe(isReused);
});

test("a connection that other code used is not reused for a creation, and those to other servers stay open [D-142]", async () => {
  const [first, second] = [await startDroppingService(60_000), await startDroppingService(60_000)];
  const agent = createAgent();
  for (const { baseUrl } of [first, second])
    await new Promise((resolve) => get(baseUrl, { agent }, (response) => response.resume().once("close", resolve)));
  await new OffersClient({ baseUrl: first.baseUrl, apiKey: "key", agent }).createOffer(input);
  expect([first.counts.connections, second.counts.connections]).toEqual([2, 1]);
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(2);
});

test("with any transport, a creation whose connection is reset after it was written is not sent again [D-142]", async () => {
  let requestCount = 0;
  const server = createHttpServer((request) => {
    request.resume().on("end", () => {
      requestCount += 1;
      request.socket.resetAndDestroy();
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const transports: Partial<OffersClientOptions>[] = [
    { fetch: (url, init) => fetch(url, init) },
    { agent: createAgent() },
  ];
  for (const options of transports) {
    const client = new OffersClient({ baseUrl, apiKey: "key", ...options });
    await expect(client.createOffer(input)).rejects.toMatchObject({ code: "connection_lost", attempts: 1 });
  }
  expect(requestCount).toBe(transports.length);
});
