import * as http from "node:http";
import * as https from "node:https";
import { type FastifyApp, type HttpServer, openReceiver, receiverDescription } from "@offers/contract/open-receiver";
import { ConfigurationError } from "../errors/errors.ts";
import type { WebhookResponse } from "../http/response.ts";
import { withTimeout } from "../http/timeouts.ts";

/** Headers in the order in which they are sent; a name may be repeated. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A request to the receiver under test. */
export interface OutgoingRequest {
  readonly method: string;
  /** Includes the base URL's path prefix. */
  readonly path: string;
  readonly headers: HeaderList;
  readonly body?: Uint8Array;
}

/** Sends requests to a receiver under test. */
export interface Transport {
  /** Rejects if there is no complete response in time. */
  send(request: OutgoingRequest): Promise<WebhookResponse>;
  close(): Promise<void>;
}

/** The receivers that `testReceiver` accepts. @inline */
export type ReceiverApp =
  | string
  | URL
  | ((request: http.IncomingMessage, response: http.ServerResponse) => unknown)
  | ((request: Request) => Response | PromiseLike<Response>)
  | { fetch(request: Request): Response | PromiseLike<Response> }
  | HttpServer
  | FastifyApp;

/** The transport to an app, and the path in the app's URL. */
type OpenedApp = { readonly transport: Transport; readonly path: string };

/** Opens the receiver to test. @throws {ConfigurationError} `invalid_option` for a value that is not a receiver */
export async function openApp(app: ReceiverApp, timeoutMs: number): Promise<OpenedApp> {
  const opened = await openReceiver<Request, Response>(app);
  if (!opened) throw new ConfigurationError("invalid_option", `testReceiver takes ${receiverDescription}.`);
  if ("fetch" in opened) return { transport: fetchTransport(opened.fetch, timeoutMs), path: "" };
  const url = URL.canParse(opened.address) ? new URL(opened.address) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new ConfigurationError("invalid_option", "The URL of a receiver must start with http:// or https://.");
  return { transport: httpTransport(new URL(url.origin), timeoutMs, opened.close), path: url.pathname };
}

/** Creates a transport that calls a function from Request to Response, without a server. */
function fetchTransport(handle: (request: Request) => Promise<Response>, timeoutMs: number): Transport {
  const createTimeoutError = () => new DOMException(`No response within ${timeoutMs} ms.`, "TimeoutError");
  const withResponseTimeout = <T>(value: Promise<T>) => withTimeout(value, timeoutMs, createTimeoutError);
  return {
    async send({ method, path, headers, body }) {
      const init = { method, headers: headers.map(([name, value]): [string, string] => [name, value]) };
      const request = new Request(`http://localhost${path}`, body ? { ...init, body: new Uint8Array(body) } : init);
      const response = await withResponseTimeout(handle(request));
      return {
        status: response.status,
        headers: Object.fromEntries(response.headers),
        body: await withResponseTimeout(response.text()),
      };
    },
    close: async () => undefined,
  };
}

/** Creates a transport over `node:http`, because fetch would join repeated headers and follow redirects. */
function httpTransport(origin: URL, timeoutMs: number, close: Transport["close"]): Transport {
  const { request } = origin.protocol === "https:" ? https : http;
  return {
    send: ({ method, path, headers, body }) =>
      new Promise((resolve, reject) => {
        const lengthHeader: [string, string][] = body ? [["Content-Length", String(body.length)]] : [];
        const connectionHeaders: [string, string][] = [["Host", origin.host], ["Connection", "close"], ...lengthHeader];
        request(origin, {
          method,
          path,
          headers: [...connectionHeaders, ...headers].flat(),
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
