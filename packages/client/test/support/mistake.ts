import { once } from "node:events";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { onTestFinished } from "vitest";
import type { OffersClient, OffersClientOptions } from "../../src/index.ts";
import { respondWith, serve } from "./serve.ts";

/** What a user gets wrong, and what the client reports. */
export interface Mistake {
  what: string;
  /** Where the service is, and how it responds; by default nothing is sent. */
  at?: () => Promise<string>;
  options?: Partial<Record<keyof OffersClientOptions, unknown>> & Record<string, unknown>;
  call?: (client: OffersClient) => PromiseLike<unknown>;
  code: string;
  /** `HOST` stands for the address of the service, whose port is another each time. */
  says: string | RegExp;
}

/** The address of a server with one response. */
export const responding =
  (...respond: Parameters<typeof respondWith>) =>
  async () =>
    (await serve(respondWith(...respond))).baseUrl;
export const json = { "content-type": "application/json" };
/** The address of a server that responds with problem details. */
export const problem = (status: number, body: object, headers = {}) =>
  responding(status, JSON.stringify(body), { "content-type": "application/problem+json", ...headers });

/** The address of a TCP server. */
export async function speaking(speak: (socket: Socket) => void): Promise<string> {
  const server = createTcpServer((socket) => speak(socket.on("error", () => {}))).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
