import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { ConfigurationError } from "../errors.ts";
import { fetchTransport } from "./fetch-transport.ts";
import { httpTransport } from "./http-transport.ts";
import type { Transport } from "./transport.ts";

/** What `testReceiver` takes. @inline */
export type ReceiverApp =
  | string
  | URL
  | ((request: IncomingMessage, response: ServerResponse) => unknown)
  | { fetch(request: Request): Response | Promise<Response> };

/** The transport to an app, and the path in its address. */
type OpenedApp = { readonly transport: Transport; readonly path: string };

/** @throws {ConfigurationError} `invalid_option` for what is none of these */
export async function openApp(app: ReceiverApp, timeoutMs: number): Promise<OpenedApp> {
  if (typeof app === "string" || app instanceof URL) return openAddress(app, timeoutMs);
  if (typeof app === "function") return openListener(app, timeoutMs);
  if (typeof app?.fetch === "function") return { transport: fetchTransport(app, timeoutMs), path: "" };
  throw new ConfigurationError("invalid_option", "Give an Express app, a listener, { fetch } or an address.");
}

function openAddress(address: string | URL, timeoutMs: number): OpenedApp {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new ConfigurationError("invalid_option", "The address of a receiver begins with http:// or https://.");
  return { transport: httpTransport(new URL(url.origin), timeoutMs, async () => undefined), path: url.pathname };
}

async function openListener(
  listener: (request: IncomingMessage, response: ServerResponse) => unknown,
  timeoutMs: number,
): Promise<OpenedApp> {
  if (listener.length === 1)
    throw new ConfigurationError(
      "invalid_option",
      "A listener takes a request and a response; give a function from Request to Response as { fetch }.",
    );
  const server = createServer(listener);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  const close = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    server.closeAllConnections();
    await closed;
  };
  return { transport: httpTransport(new URL(`http://127.0.0.1:${port}`), timeoutMs, close), path: "" };
}
