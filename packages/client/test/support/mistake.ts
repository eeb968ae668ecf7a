import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { OffersClient, OffersClientOptions } from "../../src/index.ts";
import { respondWith, serve } from "./serve.ts";

/** A user's mistake and the error that it causes. */
export interface Mistake {
  description: string;
  /** Starts the service and returns its URL. @default no service, because nothing is sent */
  startService?: () => Promise<string>;
  options?: Partial<Record<keyof OffersClientOptions, unknown>> & Record<string, unknown>;
  call?: (client: OffersClient) => PromiseLike<unknown>;
  code: string;
  /** The expected message, in which `HOST` replaces the service's host and port. */
  message: string | RegExp;
}

/** Returns a function that starts a server and returns the server's URL. The server always sends this response. */
export const createStarter =
  (...respond: Parameters<typeof respondWith>) =>
  async () =>
    (await serve(respondWith(...respond))).baseUrl;
export const jsonHeaders = { "content-type": "application/json" };
/** Like `createStarter`, but responds with problem details. */
export const createProblemStarter = (status: number, body: object, headers = {}) =>
  createStarter(status, JSON.stringify(body), { "content-type": "application/problem+json", ...headers });

/** Starts a TCP server, and returns its URL. */
export async function startTcpServer(onConnection: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => onConnection(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
