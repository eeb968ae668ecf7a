import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";

export interface Received {
  method?: string | undefined;
  url?: string | undefined;
  headers: IncomingHttpHeaders;
  rawHeaders: string[];
  body: Buffer;
}

/** Starts a receiver that records its requests. @param responseStatus the status, or a function that returns it by the request index */
export async function startRecorder(
  responseStatus: number | ((index: number) => number) = 200,
): Promise<{ to: string; received: Received[] }> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    buffer(request).then(
      (body) => {
        const { method, url, headers, rawHeaders } = request;
        received.push({ method, url, headers, rawHeaders, body });
        const status = typeof responseStatus === "number" ? responseStatus : responseStatus(received.length - 1);
        response.writeHead(status).end("noted");
      },
      () => response.destroy(),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return { to: `http://127.0.0.1:${(server.address() as AddressInfo).port}/offers`, received };
}
