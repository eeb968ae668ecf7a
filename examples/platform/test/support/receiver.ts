import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface ReceivedRequest {
  method: string;
  url: string;
  headers: IncomingMessage["headers"];
  body: string;
}

export type Respond = (request: ReceivedRequest, response: ServerResponse) => void;

/** An integrator's endpoint on loopback that records its requests. */
export interface Receiver {
  baseAddress: string;
  requests: ReceivedRequest[];
  /** Decides the response to each request. It can be replaced at any time. */
  respond: Respond;
  /** Closes all connections, even if a request is still waiting for its response. */
  hangUp(): void;
  close(): Promise<void>;
}

export const respondWith =
  (status: number, headers: Record<string, string> = {}, body: string | Uint8Array = ""): Respond =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

/** Never responds, but leaves the connection open. */
export const hang: Respond = () => undefined;

/** Closes the connection instead of responding. */
export const hangUp: Respond = (_, response) => void response.destroy();

export async function openReceiver(respond: Respond = respondWith(200)): Promise<Receiver> {
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = [];
    incoming.on("data", (chunk: Buffer) => chunks.push(chunk));
    incoming.on("end", () => {
      const { method = "", url = "", headers } = incoming;
      const request = { method, url, headers, body: Buffer.concat(chunks).toString() };
      receiver.requests.push(request);
      receiver.respond(request, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = {
    baseAddress: `http://127.0.0.1:${port}`,
    requests: [],
    respond,
    hangUp: () => server.closeAllConnections(),
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  return receiver;
}
