// The receivers that the kit's testReceiver and the client's deliverTo accept. The exported types depend on neither Node's nor the DOM's
// types.
import type { Server } from "node:http";

/** The part of a `node:http` or `node:https` server that this package uses. */
export interface HttpServer {
  readonly listening: boolean;
  address(): unknown;
}

/** The part of a Fastify app that this package uses. */
export interface FastifyApp {
  ready(): PromiseLike<unknown>;
  readonly server: HttpServer;
}

/** An open receiver: a function to call with a `Request`, or an address that accepts requests until `close` is called. */
type OpenedReceiver<Request, Response> = { readonly fetch: (request: Request) => Promise<Response> } | OpenedAddress;

interface OpenedAddress {
  readonly address: string;
  /** Whether this is a server's address, which has no path. */
  readonly isServer: boolean;
  close(): Promise<void>;
}

export const receiverDescription =
  "a URL, a function from Request to Response, an object whose fetch is such a function, a node:http listener or server, or an Express or Fastify app";

/**
 * Opens a receiver. A function with two or more parameters is treated as a `node:http` listener, and any other function as one that accepts
 * a `Request`. A server that is not listening yet is started on a free loopback port, and does not keep the process alive.
 *
 * @returns undefined for a value that is not a receiver
 */
export async function openReceiver<Request, Response>(
  receiver: unknown,
): Promise<OpenedReceiver<Request, Response> | undefined> {
  const { href, fetch, ready, server } = Object(receiver);
  // The caller started the receiver at this address, so `close` does nothing.
  if (typeof receiver === "string" || typeof href === "string")
    return { address: String(receiver), isServer: false, close: async () => {} };
  if (typeof receiver === "function" && receiver.length > 1) {
    const { createServer } = await import("node:http");
    return listen(createServer(receiver as never));
  }
  if (typeof receiver === "function") return { fetch: (request) => requireResponse(receiver(request)) };
  if (typeof fetch === "function") return { fetch: (request) => requireResponse(fetch.call(receiver, request)) };
  if (typeof ready === "function" && isServer(server)) {
    await ready.call(receiver);
    return listen(server);
  }
  return isServer(receiver) ? listen(receiver) : undefined;
}

const isServer = (value: unknown): value is Server =>
  ["listen", "address", "close"].every((name) => typeof Object(value)[name] === "function");

async function listen(server: Server): Promise<OpenedAddress> {
  // The caller started this server, so `close` does nothing.
  if (server.listening) return { address: toUrl(server), isServer: true, close: async () => {} };
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).once("listening", resolve);
    // Without this, a keep-alive connection would delay the exit of the process by five seconds.
    server.on("connection", (socket) => socket.unref());
    server.listen(0, "127.0.0.1").unref();
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { address: toUrl(server), isServer: true, close };
}

/** Returns a server's URL. The host is localhost if the server listens on every interface. */
function toUrl(server: Server): string {
  const { address, port, family } = Object(server.address());
  const protocol = "setSecureContext" in server ? "https" : "http";
  if (address === "::" || address === "0.0.0.0") return `${protocol}://localhost:${port}`;
  const host = family === "IPv6" ? `[${address}]` : address;
  return `${protocol}://${host}:${port}`;
}

async function requireResponse<Response>(result: unknown): Promise<Response> {
  const response = await result;
  if (typeof Object(response).status === "number") return response as Response;
  throw new TypeError(
    "The handler did not return a Response. A node:http listener must declare both parameters, request and response.",
  );
}
