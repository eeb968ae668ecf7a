import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TrafficLog } from "./traffic-log.ts";

/** What the proxy does instead of forwarding a request. */
export type FailureMode = "status 500" | "no response";

/** A proxy on loopback that forwards every byte, records each request in the traffic log, and can inject failures. */
export interface RecordingProxy {
  /** The URL that the proxy listens on. */
  readonly url: string;
  /** The headers of the last request that returned 200. A forged request from a check may follow it. */
  readonly lastHeaders: IncomingHttpHeaders;
  /** How many requests are currently waiting for a response. */
  readonly hanging: number;
  /** Injects this failure into all further requests. Passing undefined ends the failure and closes hanging connections. */
  failWith(mode: FailureMode | undefined): void;
  close(): Promise<void>;
}

export async function startRecordingProxy(
  traffic: TrafficLog,
  from: string,
  to: string,
  targetUrl: string,
): Promise<RecordingProxy> {
  let failureMode: FailureMode | undefined;
  let lastHeaders: IncomingHttpHeaders = {};
  let hanging = 0;

  const server = createServer((incoming, outgoing) => {
    const startedAt = performance.now();
    const { method = "", url: path = "" } = incoming;
    const record = (status: number | string) => {
      traffic.record(startedAt, { from, to, method, path, status });
      if (status === 200) lastHeaders = incoming.headers;
    };
    if (failureMode === "no response") {
      incoming.resume();
      hanging++;
      outgoing.once("close", () => {
        hanging--;
        record("no response");
      });
    } else if (failureMode === "status 500") {
      incoming.resume();
      outgoing.writeHead(500).end();
      record(500);
    } else forward(targetUrl, incoming, outgoing, record);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get lastHeaders() {
      return lastHeaders;
    },
    get hanging() {
      return hanging;
    },
    failWith(mode) {
      failureMode = mode;
      // End hanging requests now, instead of after the platform's timeout of 15 s.
      if (!mode) server.closeAllConnections();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/** Forwards a request unchanged, and records the response's status or the error. */
function forward(
  targetUrl: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  record: (status: number | string) => void,
): void {
  const { method, url = "", rawHeaders } = incoming;
  // Use a new connection for each request, so that no connection is left over from a killed platform.
  const onward = request(new URL(url, targetUrl), { method, headers: rawHeaders, agent: false });
  onward.once("response", (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.pipe(outgoing);
    response.once("end", () => record(response.statusCode ?? 502));
  });
  onward.once("error", ({ message }) => {
    outgoing.destroy();
    record(message);
  });
  incoming.pipe(onward);
}
