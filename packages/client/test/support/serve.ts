import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface ReceivedRequest {
  method: string | undefined;
  url: string | undefined;
  headers: IncomingMessage["headers"];
  body: string;
}

export type Responder = (response: ServerResponse, request: ReceivedRequest, count: number) => void;

/** Starts a real server on loopback for one test. It records the requests. */
export async function serve(respond: Responder): Promise<{ baseUrl: string; received: ReceivedRequest[] }> {
  const received: ReceivedRequest[] = [];
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const receivedRequest = { method: request.method, url: request.url, headers: request.headers, body };
    received.push(receivedRequest);
    respond(response, receivedRequest, received.length);
  });
  return { baseUrl: await listen(server), received };
}

/** Starts a server on loopback for one test, and returns its URL. */
export async function listen(server: Server): Promise<string> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.close();
    server.closeAllConnections();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Returns a loopback URL where no server listens. */
export async function findUnusedUrl(): Promise<string> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return `http://127.0.0.1:${port}`;
}

/** Returns a responder that always sends this status, body and headers. */
export const respondWith =
  (status: number, body = "", headers: Record<string, string> = {}): Responder =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };
