// Worker threads for slow-loris.slow.test.ts: one with receivers that each keep a connection open as long as they can, in
// different ways, and one with a well-behaved receiver. Posts their addresses when all are listening.
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";

/** Handles a connection from its first byte. */
type Behave = (socket: Socket) => void;

const everyMs = 50;
const wellMs = 40;

/** Sends the start immediately, then one piece every 50 ms, endlessly. */
const drip =
  (start: string, ...pieces: string[]): Behave =>
  (socket) => {
    socket.write(start);
    let next = 0;
    const timer = setInterval(() => socket.write(pieces[next++ % pieces.length] ?? ""), everyMs);
    socket.once("close", () => clearInterval(timer));
  };

/** Sends pieces endlessly like `drip`, but as fast as the peer reads. */
const flood =
  (start: string, piece: string): Behave =>
  (socket) => {
    socket.write(start);
    const pour = (): void => {
      while (socket.writable && socket.write(piece));
    };
    socket.on("drain", pour);
    pour();
  };

const ok = "HTTP/1.1 200 OK\r\n";
const chunked = `${ok}transfer-encoding: chunked\r\n\r\n`;
const hint = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n";

const misbehaviours: Record<string, Behave> = {
  silence: () => undefined,
  "the status line byte by byte": drip("HTTP/1.1 200 ", "a"),
  "a header byte by byte": drip(`${ok}x-slow: `, "a"),
  "header after header": drip(ok, "x-slow: a\r\n"),
  "a header larger than all memory": flood(`${ok}x-large: `, "a".repeat(65_536)),
  "headers without number": flood(ok, "x-many: a\r\n".repeat(4_096)),
  "a body byte by byte": drip(`${ok}content-length: 1000000\r\n\r\n`, "a"),
  "a body without its last byte": drip(`${ok}content-length: 3\r\n\r\nab`, ""),
  "chunk after chunk": drip(chunked, "1\r\na\r\n"),
  "the size of a chunk": drip(chunked, "0"),
  "the extension of a chunk": drip(`${chunked}1;a=`, "a"),
  "the extension of a chunk, as fast as it is read": flood(`${chunked}1;a=`, "a".repeat(65_536)),
  "trailer after trailer": drip(`${chunked}0\r\n`, "x-slow: a\r\n"),
  "a body without end, as fast as it is read": flood(`${ok}\r\n`, "a".repeat(65_536)),
  "one informational response after another": drip("", hint),
  "informational responses as fast as they are read": flood("", hint.repeat(1_000)),
  "a response and more of them": flood(`${ok}content-length: 0\r\n\r\n`, `${ok}content-length: 0\r\n\r\n`.repeat(100)),
};

/** Receivers with https URLs, although none of them speaks TLS. */
const handshakes: Record<string, Behave> = {
  "silence instead of a handshake": () => undefined,
  "a record of a handshake byte by byte": drip("\x16\x03\x03\x40\x00", "\x02"),
};

async function open(misbehave: Behave): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => misbehave(socket));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

const openAll = async (scheme: string, all: Record<string, Behave>) =>
  Promise.all(
    Object.entries(all).map(async ([name, one]) => [name, `${scheme}://127.0.0.1:${await open(one)}`] as const),
  );

/** Responds after 40 ms, like a server in the same country would. */
const respondSoon: Behave = (socket) => {
  const respond = (): unknown => setTimeout(() => socket.write(`${ok}content-length: 0\r\n\r\n`), wellMs);
  respond();
  socket.on("data", respond);
};

parentPort?.postMessage(
  workerData === "well"
    ? await openAll("http", { well: respondSoon })
    : [...(await openAll("http", misbehaviours)), ...(await openAll("https", handshakes))],
);
