import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { OffersClient, OffersClientOptions } from "../../src/index.ts";
import { respondWith, serve } from "./serve.ts";

/** A user's mistake, and the client's error. */
export interface Mistake {
  what: string;
  /** Starts the service and returns its URL; by default nothing is sent. */
  at?: () => Promise<string>;
  options?: Partial<Record<keyof OffersClientOptions, unknown>> & Record<string, unknown>;
  call?: (client: OffersClient) => PromiseLike<unknown>;
  code: string;
  /** `HOST` is replaced by the service's host, whose port changes. */
  says: string | RegExp;
}

/** Starts a server with one response, and returns its URL. */
export const responding =
  (...respond: Parameters<typeof respondWith>) =>
  async () =>
    (await serve(respondWith(...respond))).baseUrl;
export const json = { "content-type": "application/json" };
/** Starts a server that responds with problem details, and returns its URL. */
export const problem = (status: number, body: object, headers = {}) =>
  responding(status, JSON.stringify(body), { "content-type": "application/problem+json", ...headers });

/** Starts a TCP server, and returns its URL. */
export async function speaking(speak: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => speak(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
