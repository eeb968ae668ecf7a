import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Wire } from "./wire.ts";

/** What a tapped party does instead of answering: an error of its own, or nothing at all. */
export type Trouble = "answers 500" | "hangs";

/** A loopback proxy between two parties. It passes every byte on, notes what went by, and can make trouble. */
export interface Wiretap {
  /** Where the one party finds the other. */
  readonly address: string;
  /** The headers of the last request that went by. */
  readonly lastHeaders: IncomingHttpHeaders;
  /** How many requests hang at this moment. */
  readonly hanging: number;
  /** From now on the tapped party is in this trouble, or, with undefined, well again. */
  trouble(kind: Trouble | undefined): void;
  close(): Promise<void>;
}

export async function openWiretap(wire: Wire, from: string, to: string, target: string): Promise<Wiretap> {
  let trouble: Trouble | undefined;
  let lastHeaders: IncomingHttpHeaders = {};
  let hanging = 0;

  const server = createServer((incoming, outgoing) => {
    const begun = performance.now();
    const { method = "", url: path = "" } = incoming;
    const record = (status: number | string) => wire.record(begun, { from, to, method, path, status });
    lastHeaders = incoming.headers;
    if (trouble === "hangs") {
      incoming.resume();
      hanging++;
      outgoing.once("close", () => {
        hanging--;
        record("no answer");
      });
    } else if (trouble === "answers 500") {
      incoming.resume();
      outgoing.writeHead(500).end();
      record(500);
    } else forward(target, incoming, outgoing, record);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get lastHeaders() {
      return lastHeaders;
    },
    get hanging() {
      return hanging;
    },
    trouble(kind) {
      trouble = kind;
      // Who hangs is let go, so that nobody waits for a time-out that the story has seen.
      if (!kind) server.closeAllConnections();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function forward(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  record: (status: number | string) => void,
): void {
  const { method, url = "", rawHeaders } = incoming;
  // A connection each: none is left over from a platform that was killed.
  const onward = request(new URL(url, target), { method, headers: rawHeaders, agent: false });
  onward.once("response", (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
    answer.pipe(outgoing);
    answer.once("end", () => record(answer.statusCode ?? 502));
  });
  onward.once("error", ({ message }) => {
    outgoing.destroy();
    record(message);
  });
  incoming.pipe(onward);
}
