import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { TrafficLog } from "./traffic-log.ts";

/** The failure that the proxy injects instead of forwarding a request. */
export type FailureMode = "status 500" | "no response";

/** A proxy on loopback that forwards every byte, records each request in the traffic log, and can inject failures. */
export interface RecordingProxy {
  /** The URL that the proxy listens on. */
  readonly url: string;
  /** The headers of the last request that returned 200. A check may have sent a forged request after it. */
  readonly lastHeaders: IncomingHttpHeaders;
  /** How many requests are currently waiting for a response because of the failure `no response`. */
  readonly hangingCount: number;
  /** Injects this failure into all later requests. Passing undefined ends the failure and closes hanging connections. */
  failWith(mode: FailureMode | undefined): void;
  close(): Promise<void>;
}

/** Starts a proxy. `from` and `to` name the two processes in the traffic log. */
export async function startRecordingProxy(
  traffic: TrafficLog,
  { from, to, targetUrl }: { from: string; to: string; targetUrl: string },
): Promise<RecordingProxy> {
  let failureMode: FailureMode | undefined;
  let lastHeaders: IncomingHttpHeaders = {};
  let hangingCount = 0;

  const server = createServer((incoming, outgoing) => {
    const startedAt = performance.now();
    const { method = "", url: path = "" } = incoming;
    const record = (status: number | string) => {
      traffic.record(startedAt, { from, to, method, path, status });
      if (status === 200) lastHeaders = incoming.headers;
    };
    if (failureMode === "no response") {
      incoming.resume();
      hangingCount++;
      outgoing.once("close", () => {
        hangingCount--;
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
    get hangingCount() {
      return hangingCount;
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

/** Forwards a request unchanged, and records the response status or the error. */
function forward(
  targetUrl: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  record: (status: number | string) => void,
): void {
  const { method, url = "", rawHeaders } = incoming;
  // Use a new connection for each request, so that no connection is left over from a killed platform.
  const forwardedRequest = request(new URL(url, targetUrl), { method, headers: rawHeaders, agent: false });
  forwardedRequest.once("response", (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.rawHeaders);
    response.pipe(outgoing);
    response.once("end", () => record(response.statusCode ?? 502));
  });
  forwardedRequest.once("error", ({ message }) => {
    outgoing.destroy();
    record(message);
  });
  incoming.pipe(forwardedRequest);
}
