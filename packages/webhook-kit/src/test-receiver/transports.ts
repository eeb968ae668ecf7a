import { once } from "node:events";
import * as http from "node:http";
import * as https from "node:https";
import { ConfigurationError } from "../errors/errors.ts";
import type { WebhookResponse } from "../http/response.ts";
import { withTimeout } from "../http/timeouts.ts";

/** In the order in which they are sent; a name may come twice. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A request as it goes to the receiver under test. */
export interface OutgoingRequest {
  readonly method: string;
  /** The prefix of the base address included. */
  readonly path: string;
  readonly headers: HeaderList;
  readonly body?: Uint8Array;
}

/** Sends requests to a receiver under test. */
export interface Transport {
  /** Rejects when there is no complete response in time. */
  send(request: OutgoingRequest): Promise<WebhookResponse>;
  close(): Promise<void>;
}

/** What `testReceiver` takes. @inline */
export type ReceiverApp =
  | string
  | URL
  | ((request: http.IncomingMessage, response: http.ServerResponse) => unknown)
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
  listener: (request: http.IncomingMessage, response: http.ServerResponse) => unknown,
  timeoutMs: number,
): Promise<OpenedApp> {
  if (listener.length === 1)
    throw new ConfigurationError(
      "invalid_option",
      "A listener takes a request and a response; give a function from Request to Response as { fetch }.",
    );
  const server = http.createServer(listener);
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

/** Calls a function from Request to Response, without a server. */
function fetchTransport(app: { fetch(request: Request): Response | Promise<Response> }, timeoutMs: number): Transport {
  const timedOut = () => new DOMException(`No response in ${timeoutMs} ms.`, "TimeoutError");
  const inTime = <T>(value: T | Promise<T>) => withTimeout(Promise.resolve(value), timeoutMs, timedOut);
  return {
    async send({ method, path, headers, body }) {
      const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) };
      const request = new Request(`http://localhost${path}`, body ? { ...init, body: new Uint8Array(body) } : init);
      const response = await inTime(app.fetch(request));
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await inTime(response.text()),
      };
    },
    close: async () => undefined,
  };
}

/** `node:http` and not fetch, which would join two headers of one name, and follow redirects. */
function httpTransport(origin: URL, timeoutMs: number, close: Transport["close"]): Transport {
  const { request } = origin.protocol === "https:" ? https : http;
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const length: [string, string][] = body ? [["Content-Length", String(body.length)]] : [];
        const all: [string, string][] = [["Host", origin.host], ["Connection", "close"], ...length];
        request(origin, {
          method,
          path,
          headers: [...all, ...headers].flat(),
          agent: false,
          signal: AbortSignal.timeout(timeoutMs),
        })
          .on("response", (incoming) => resolve(readResponse(incoming)))
          .on("error", reject)
          .end(body);
      }),
    close,
  };
}

async function readResponse(incoming: http.IncomingMessage): Promise<WebhookResponse> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Uint8Array);
  const headers = Object.entries(incoming.headersDistinct).map(([name, values = []]) => [name, values.join(", ")]);
  return {
    status: incoming.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).toString("utf8"),
  };
}
