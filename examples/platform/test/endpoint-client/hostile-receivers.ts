// A worker thread for slow-loris.slow.test.ts. It runs either receivers that each keep a connection open in a different way, or a
// well-behaved receiver. It posts the receivers' addresses once all are listening.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** Handles a connection once its first bytes have arrived. */
type Behave = (socket: Socket) => void;

const chunkIntervalMs = 50;
const responseDelayMs = 40;

/** Sends the start immediately, and then the chunk every 50 ms, endlessly. */
const sendSlowly =
  (start: string, chunk: string): Behave =>
  (socket) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(chunk), chunkIntervalMs);
    socket.once("close", () => clearInterval(timer));
  };

/** Sends the start, and then the chunk again and again, as fast as the peer reads. */
const sendFast =
  (start: string, chunk: string): Behave =>
  (socket) => {
    socket.write(start);
    const writeUntilFull = (): void => {
      let canWriteMore = true;
      while (canWriteMore) canWriteMore = socket.writable && socket.write(chunk);
    };
    socket.on("drain", writeUntilFull);
    writeUntilFull();
  };

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";

const httpBehaviours: Record<string, Behave> = {
  silence: () => undefined,
  "the status line byte by byte": sendSlowly("HTTP/1.1 200 ", "a"),
  "a header byte by byte": sendSlowly(`${ok}x-slow: `, "a"),
  "header after header": sendSlowly(ok, "x-slow: a\r\n"),
  "an endless header": sendFast(`${ok}x-large: `, "a".repeat(65_536)),
  "endlessly many headers": sendFast(ok, "x-many: a\r\n".repeat(4_096)),
  "a body byte by byte": sendSlowly(`${ok}content-length: 1000000\r\n\r\n`, "a"),
  "a body without its last byte": sendSlowly(`${ok}content-length: 3\r\n\r\nab`, ""),
  "chunk after chunk": sendSlowly(chunked, "1\r\na\r\n"),
  "a chunk size digit by digit": sendSlowly(chunked, "0"),
  "a chunk extension byte by byte": sendSlowly(`${chunked}1;a=`, "a"),
  "a chunk extension, as fast as it is read": sendFast(`${chunked}1;a=`, "a".repeat(65_536)),
  "trailer after trailer": sendSlowly(`${chunked}0\r\n`, "x-slow: a\r\n"),
  "an endless body, as fast as it is read": sendFast(`${ok}\r\n`, "a".repeat(65_536)),
  "one informational response after another": sendSlowly("", hint),
  "informational responses as fast as they are read": sendFast("", hint.repeat(1_000)),
  "one response after another": sendFast(
    `${ok}content-length: 0\r\n\r\n`,
    `${ok}content-length: 0\r\n\r\n`.repeat(100),
  ),
};

/** Behaviours of receivers with https URLs, none of which completes a TLS handshake. */
const httpsBehaviours: Record<string, Behave> = {
  "silence instead of a handshake": () => undefined,
  "a handshake record byte by byte": sendSlowly("\x16\x03\x03\x40\x00", "\x02"),
};

/** Opens a server on a free loopback port. @returns the port */
async function openServer(behave: Behave): Promise<number> {
  const server = createServer((socket) => {
    // The client may reset the connection.
    socket.on("error", () => undefined);
    socket.once("data", () => behave(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** Opens a server for each behaviour. @returns pairs of a behaviour's name and its server's URL */
const openServers = async (scheme: string, behaviours: Record<string, Behave>) =>
  Promise.all(
    Object.entries(behaviours).map(
      async ([name, behave]) => [name, `${scheme}://127.0.0.1:${await openServer(behave)}`] as const,
    ),
  );

/** Responds after 40 ms, as a server in the same country would. */
const respondSoon: Behave = (socket) => {
  const respond = (): unknown => setTimeout(() => socket.write(`${ok}content-length: 0\r\n\r\n`), responseDelayMs);
  respond();
  socket.on("data", respond);
};

parentPort?.postMessage(
  workerData === "healthy"
    ? await openServers("http", { healthy: respondSoon })
    : [...(await openServers("http", httpBehaviours)), ...(await openServers("https", httpsBehaviours))],
);
