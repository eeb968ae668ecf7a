import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** A valid request, which a case changes before it is sent. */
export interface Draft {
  method: string;
  target: string;
  version: string;
  /** Lines, in order, without their ends. */
  headers: string[];
  body: Buffer;
  /** The one effect that the request has is known by it. */
  marker: string;
}

export const endOfLine = "\r\n";

/** The bytes of a draft; headers are written as Latin-1, one byte for each character. */
export function write({ method, target, version, headers, body }: Draft, lineEnd = endOfLine): Buffer {
  const head = [`${method} ${target} ${version}`, ...headers, "", ""].join(lineEnd);
  return Buffer.concat([Buffer.from(head, "latin1"), body]);
}

const nameOf = (line: string): string => line.slice(0, line.indexOf(":")).toLowerCase();

/** The line of a header. */
export function find(draft: Draft, name: string): string {
  const line = draft.headers.find((each) => nameOf(each) === name.toLowerCase());
  if (line === undefined) throw new Error(`The draft has no ${name}.`);
  return line;
}

/** Replaces the line of a header, at its place, by any number of lines. */
export function replace(draft: Draft, name: string, change: (line: string) => readonly string[]): Draft {
  const headers = draft.headers.flatMap((line) => (nameOf(line) === name.toLowerCase() ? change(line) : [line]));
  return { ...draft, headers };
}

export const without = (draft: Draft, ...names: string[]): Draft =>
  names.reduce((rest, name) => replace(rest, name, () => []), draft);

export const add = (draft: Draft, ...lines: string[]): Draft => ({ ...draft, headers: [...draft.headers, ...lines] });

/** The draft without Content-Length, and with these bytes for a body: `chunks` of the true one, or something broken. */
export function chunked(draft: Draft, body: Buffer | string, coding = "Transfer-Encoding: chunked"): Draft {
  const bytes = typeof body === "string" ? Buffer.from(body, "latin1") : body;
  return { ...add(without(draft, "Content-Length"), coding), body: bytes };
}

/** @param how.extension follows the size @param how.trailers lines of their own */
export function chunks(body: Buffer, how: { pieces?: number; extension?: string; trailers?: readonly string[] } = {}) {
  const { pieces = 2, extension = "", trailers = [] } = how;
  const size = Math.ceil(body.length / pieces);
  const parts: Buffer[] = [];
  for (let from = 0; from < body.length; from += size) {
    const piece = body.subarray(from, from + size);
    parts.push(Buffer.from(`${piece.length.toString(16)}${extension}\r\n`), piece, Buffer.from("\r\n"));
  }
  parts.push(Buffer.from(["0", ...trailers, "", ""].join("\r\n")));
  return Buffer.concat(parts);
}

export interface RawResponse {
  status: number;
  /** Names in lower case. */
  headers: ReadonlyMap<string, string>;
  text: string;
}

export interface Exchange {
  /** Without interim responses. */
  responses: readonly RawResponse[];
  isClosed: boolean;
}

/** @param how.halfClose whether the sender ends its side after the last part @param how.expected how many responses it waits for */
export async function exchange(
  port: number,
  parts: readonly Buffer[],
  how: { halfClose?: boolean; expected?: number; patienceMs?: number; pauseMs?: number } = {},
): Promise<Exchange> {
  const { halfClose = false, expected = 1, patienceMs = 15_000, pauseMs = 20 } = how;
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const received: Buffer[] = [];
  let isClosed = false;
  socket.on("data", (bytes) => received.push(bytes));
  socket.on("error", () => (isClosed = true));
  socket.on("end", () => (isClosed = true));
  socket.on("close", () => (isClosed = true));
  const read = () => readResponses(Buffer.concat(received).toString("latin1"));
  for (const [index, part] of parts.entries()) {
    if (index > 0) await sleep(pauseMs);
    if (!isClosed) socket.write(part);
  }
  if (halfClose && !isClosed) socket.end();
  for (const end = performance.now() + patienceMs; !isClosed && performance.now() < end; ) {
    await sleep(5);
    if (read().length >= expected) {
      // A response too many would come at once.
      await sleep(30);
      break;
    }
  }
  const responses = read();
  socket.destroy();
  return { responses, isClosed };
}

function readResponses(text: string): RawResponse[] {
  return text
    .split(/(?=HTTP\/1\.[01] \d{3} )/)
    .filter((each) => /^HTTP\/1\.[01] [2-5]\d\d /.test(each))
    .map((each) => {
      const [head = "", ...rest] = each.split("\r\n\r\n");
      const headers = head
        .split("\r\n")
        .slice(1)
        .map((line) => [nameOf(line), line.slice(line.indexOf(":") + 1).trim()] as const);
      return { status: Number(head.slice(9, 12)), headers: new Map(headers), text: rest.join("\r\n\r\n") };
    });
}
