// A thousand creations over connections that were dropped while idle, or with a server that resets each connection after a request.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { OffersClient, type OffersClientOptions } from "../../src/index.ts";
import { input } from "../support/offer.ts";

const transports = {
  "the default on Node": "{}",
  "the runtime's fetch": "{ fetch: (url, init) => fetch(url, init) }",
};

async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function startOffersService(keepAliveTimeout: number) {
  const counts = { offers: 0 };
  const server = createHttpServer({ keepAliveTimeout }, (request, response) => {
    request.resume().on("end", () => {
      counts.offers += 1;
      response.end(`{"id":"offer_${counts.offers}"}`);
    });
  });
  const baseUrl = await listen(server);
  onTestFinished(() => server.closeAllConnections());
  return { baseUrl, counts };
}

/** Starts a load balancer that resets a connection at the first byte after a second without traffic. */
async function startResettingBalancer(baseUrl: string): Promise<string> {
  const { port } = new URL(baseUrl);
  const sockets = new Set<Socket>();
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  return listen(
    createServer((client) => {
      const upstream = connect(Number(port), "127.0.0.1");
      for (const socket of [client, upstream]) sockets.add(socket.on("error", () => {}));
      let lastDataAt = Number.POSITIVE_INFINITY;
      client.on("data", (data) => {
        if (performance.now() - lastDataAt >= 1_000) client.resetAndDestroy();
        else upstream.write(data);
      });
      upstream.on("data", (data) => {
        lastDataAt = performance.now();
        client.write(data);
      });
    }),
  );
}

const createOptions = (transport: string): Partial<OffersClientOptions> =>
  transport === "the runtime's fetch" ? { fetch: (url, init) => fetch(url, init) } : {};

test.each(Object.keys(transports))(
  "1,000 creations, a second apart, all succeed behind a load balancer that resets idle connections: %s [D-142]",
  async (name) => {
    const { baseUrl: serviceUrl, counts } = await startOffersService(60_000);
    const baseUrl = await startResettingBalancer(serviceUrl);
    const options = createOptions(name);
    const client = new OffersClient({ baseUrl, apiKey: "key", ...options });
    const countsByCode: Record<string, number> = {};
    for (let round = 0; round < 20; round += 1) {
      const results = await Promise.all(Array.from({ length: 50 }, () => client.createOffer(input).safe()));
      for (const result of results) {
        const code = result.ok ? "created" : result.error.code;
        countsByCode[code] = (countsByCode[code] ?? 0) + 1;
      }
      await pause(1_050);
    }
    if (name === "the runtime's fetch") expect(countsByCode.connection_lost).toBeGreaterThan(100);
    else expect({ countsByCode, ...counts }).toEqual({ countsByCode: { created: 1_000 }, offers: 1_000 });
  },
  60_000,
);

/**
 * Returns a program that stops itself between two rounds of creations, in the same tick as the second round, so that no timer or socket
 * event runs in between.
 */
const createProgram = (baseUrl: string, transport: string) => `
  import { OffersClient } from "./src/index.ts";
  const client = new OffersClient({ baseUrl: "${baseUrl}", apiKey: "key", ...${transport} });
  const input = ${JSON.stringify(input)};
  const countsByCode = {};
  const create = async () => {
    const results = await Promise.all(Array.from({ length: 250 }, () => client.createOffer(input).safe()));
    for (const { ok, error } of results) {
      const code = ok ? "created" : error.code;
      countsByCode[code] = (countsByCode[code] ?? 0) + 1;
    }
  };
  await create();
  process.kill(process.pid, "SIGSTOP");
  await create();
  console.log(JSON.stringify(countsByCode));
  process.exit();`;

// Excludes the runtime's fetch, which may or may not notice the closed connection in time.
test.each(Object.entries(transports).filter(([name]) => name !== "the runtime's fetch"))(
  "1,000 creations by two processes that are frozen for ten seconds between calls all succeed: %s [D-142]",
  async (_name, transport) => {
    const { baseUrl, counts } = await startOffersService(5_000);
    const flags = [
      "--input-type=module",
      "--disable-warning=ExperimentalWarning",
      "--eval",
      createProgram(baseUrl, transport),
    ];
    const runProgram = async () => {
      const child = spawn(process.execPath, flags, { cwd: `${import.meta.dirname}/../..` });
      onTestFinished(() => void child.kill("SIGKILL"));
      const output = text(child.stdout);
      const countAtStart = counts.offers;
      while (counts.offers < countAtStart + 250) await pause(50);
      await pause(10_000);
      child.kill("SIGCONT");
      return JSON.parse(await output) as Record<string, number>;
    };
    const [first, second] = [await runProgram(), await runProgram()];
    expect([first, second, counts]).toEqual([{ created: 500 }, { created: 500 }, { offers: 1_000 }]);
  },
  90_000,
);

test.each(Object.keys(transports))(
  "1,000 creations that a server stores before it resets the connection are each sent once: %s [D-142]",
  async (name) => {
    let storedCount = 0;
    const server = createHttpServer((request) => {
      request.resume().on("end", () => {
        storedCount += 1;
        request.socket.resetAndDestroy();
      });
    });
    const baseUrl = await listen(server);
    const client = new OffersClient({ baseUrl, apiKey: "key", ...createOptions(name) });
    for (let round = 0; round < 20; round += 1) {
      const results = await Promise.all(Array.from({ length: 50 }, () => client.createOffer(input).safe()));
      expect(new Set(results.map((result) => (result.ok ? "created" : result.error.code)))).toEqual(
        new Set(["connection_lost"]),
      );
    }
    expect(storedCount).toBe(1_000);
  },
  60_000,
);
