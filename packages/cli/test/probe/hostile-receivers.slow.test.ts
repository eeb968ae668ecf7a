import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { expect, type TestContext, test } from "vitest";
import { probe } from "../../src/probe/probe.ts";
import { exchange, maxResponseBytes } from "../../src/wire/exchange.ts";
import { parseUrl } from "../../src/wire/receiver-url.ts";
import { secrets } from "../support/start-receiver.ts";

/**
 * Starts a server that responds with 200 on its first three connections, so that it passes the two checks and has an endpoint for
 * searches. It misbehaves on each later connection.
 */
async function startHostileServer(
  misbehave: (socket: Socket) => void,
  onTestFinished: TestContext["onTestFinished"],
): Promise<ReturnType<typeof parseUrl>> {
  const sockets = new Set<Socket>();
  const ok = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
  let connectionCount = 0;
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    connectionCount += 1;
    if (connectionCount > 3) misbehave(socket);
    else socket.once("data", () => socket.end(ok));
  });
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return parseUrl(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
}

const head = "HTTP/1.1 200 OK\r\n";
const gigabyte = 1024 ** 3;

/** Sends data until the other side closes the connection. */
function flood(socket: Socket, start: string, pattern: string): void {
  socket.write(start);
  const chunk = Buffer.from(pattern.repeat(Math.ceil(65_536 / pattern.length)));
  const writeUntilFull = () => {
    while (socket.writable && socket.write(chunk));
  };
  socket.on("drain", writeUntilFull);
  writeUntilFull();
}

/** Sends a short string every 5 ms. */
const drip = (socket: Socket, text: string): void => {
  const timer = setInterval(() => socket.write(text), 5);
  socket.on("close", () => clearInterval(timer));
};

const misbehaviours: Record<string, (socket: Socket) => void> = {
  "does not read and does not respond": (socket) => void socket.pause(),
  "reads and does not respond": (socket) => void socket.resume(),
  "drips an endless head": (socket) => drip(socket, "H"),
  "drips an endless body": (socket) => {
    socket.write(`${head}Content-Length: ${gigabyte}\r\n\r\n`);
    drip(socket, "x");
  },
  "drips interim responses": (socket) => drip(socket, "HTTP/1.1 100 Continue\r\n\r\n"),
  "closes immediately": (socket) => void socket.destroy(),
  "resets the connection": (socket) => void socket.resetAndDestroy(),
  "closes within the head": (socket) => void socket.end("HTTP/1.1 20"),
  "closes within the body": (socket) => void socket.end(`${head}Content-Length: 100\r\n\r\nhalf`),
  "sends 1 GB as a body": (socket) => flood(socket, `${head}Content-Length: ${gigabyte}\r\n\r\n`, "x"),
  "sends 1 GB as a header": (socket) => flood(socket, `${head}X-Large: `, "x"),
  "sends endless chunks": (socket) => flood(socket, `${head}Transfer-Encoding: chunked\r\n\r\n`, "1\r\nx\r\n"),
  "sends a negative chunk": (socket) => void socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n-5\r\nxxxxx\r\n`),
  "sends an invalid chunk size": (socket) =>
    void socket.write(`${head}Transfer-Encoding: chunked\r\n\r\nzz\r\nxxxxx\r\n`),
  "sends a negative length": (socket) => void socket.write(`${head}Content-Length: -5\r\n\r\nxxxxxxx`),
  "sends noise": (socket) =>
    void socket.end(Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256))),
  "sends responses endlessly": (socket) => flood(socket, "", `${head}Content-Length: 0\r\n\r\n`),
};

test.concurrent.for(Object.entries(misbehaviours))(
  "a receiver that %s does not stop the probe",
  async ([, misbehave], { expect, onTestFinished }) => {
    const url = await startHostileServer(misbehave, onTestFinished);
    // Only as many cases as run concurrently are sent, because each may wait for the whole timeout.
    const only = ["methods/test-get", "headers/plain", "headers/none", "freshness/hour-old"];
    const options = { url, scheme: "timestampDigest" as const, secret: secrets.timestampDigest };
    const result = await probe({ ...options, allowEvents: false, only, skip: [], timeoutMs: 10_000 });
    expect(result.findings.filter(({ severity }) => severity === "defect").length).toBeGreaterThan(0);
  },
);

test("the probe stores only a limited part of a long response", async ({ onTestFinished }) => {
  const url = await startHostileServer(
    (socket) => flood(socket, `${head}Content-Length: ${gigabyte}\r\n\r\n`, "x"),
    onTestFinished,
  );
  // The first three connections pass the checks.
  for (let check = 1; check <= 3; check += 1) await exchange(url, Buffer.from("x"), { methods: ["GET"] });
  const before = process.memoryUsage().rss;
  const results = await Promise.all(
    Array.from({ length: 8 }, () =>
      exchange(url, Buffer.from("GET / HTTP/1.1\r\n\r\n"), { methods: ["GET"], timeoutMs: 60_000 }),
    ),
  );
  expect(results.every(({ isTooLarge }) => isTooLarge)).toBe(true);
  // Eight responses are in memory at the same time, each in several copies. One whole response would take a gigabyte.
  expect(process.memoryUsage().rss - before).toBeLessThan(8 * 6 * maxResponseBytes);
});
