import { promisify } from "node:util";
import { brotliDecompress, gunzip, inflate } from "node:zlib";
import { Agent, type Dispatcher } from "undici";
import { type Fetch, type FetchResponse, notSentCode } from "../http.ts";
import { FreshConnections } from "./fresh-connections.ts";

/**
 * A `fetch` for `OffersClient` that sends requests through undici.
 *
 * @example
 * ```ts
 * import { OffersClient } from "@offers/client";
 * import { type UndiciFetch, undiciFetch } from "@offers/client/node";
 *
 * const pool: UndiciFetch = undiciFetch({ connections: 10 });
 * const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", fetch: pool });
 * await offers.withdrawOffer("offer_4f1c2a");
 * await pool.close();
 * ```
 */
export interface UndiciFetch extends Fetch {
  /** Waits for pending requests, then closes the connections. A `dispatcher` that you passed stays open. */
  close(): Promise<void>;
  /** Does the same as `close`, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Creates a `fetch` that uses undici's dispatcher. It is faster than the runtime's `fetch`, because it does not create a `Request`, a
 * `Response` or a stream. Connections are reused, and idle connections do not keep the process running. Redirects are not followed. The
 * only additional timeout is undici's connect timeout of 10 s; the client enforces `timeoutMs` and `totalTimeoutMs`. Middleware receives a
 * response that has only `status`, `headers` and `text()`.
 *
 * Creations and completions use separate connections, which are not reused after 300 ms without a request. An idle connection may be
 * dropped without notice, by a load balancer or because a serverless function was frozen. A request on it may never arrive.
 *
 * `connections` limits the connections to the service (default: no limit). The limit applies separately to reads and withdrawals, and to
 * creations and completions. `dispatcher` replaces all these connections, for a proxy or a private certificate authority. The dispatcher
 * then decides how long idle connections are reused.
 *
 * @example
 * ```ts
 * import { readFileSync } from "node:fs";
 * import { OffersClient } from "@offers/client";
 * import { undiciFetch } from "@offers/client/node";
 * import { Agent, ProxyAgent } from "undici";
 *
 * const openClient = (fetch: ReturnType<typeof undiciFetch>) =>
 *   new OffersClient({ baseUrl: "https://service.example", apiKey: process.env.OFFERS_API_KEY ?? "", fetch });
 *
 * export const pooledClient = openClient(undiciFetch({ connections: 10 }));
 * export const proxyClient = openClient(undiciFetch({ dispatcher: new ProxyAgent("http://proxy.example:3128") }));
 * export const privateCaClient = openClient(
 *   undiciFetch({ dispatcher: new Agent({ connect: { ca: readFileSync("authority.pem", "utf8") } }) }),
 * );
 * ```
 */
export function undiciFetch(
  options: {
    /** The maximum number of connections: one limit for reads and withdrawals, one for creations and completions. @default no limit */
    connections?: number | undefined;
    /** Sends all requests, for instance through a proxy. @default this `fetch`'s own connections */
    dispatcher?: Dispatcher | undefined;
  } = {},
): UndiciFetch {
  const { dispatcher, connections = null } = options;
  // Without `allowH2: false`, undici 8 would use HTTP/2 by default, and undici 7 would not.
  const agent = dispatcher ?? new Agent({ connections, allowH2: false });
  const freshConnections = dispatcher ? undefined : new FreshConnections(connections ?? Number.POSITIVE_INFINITY);
  const send: Fetch = (url, { method, headers, body, signal, maxResponseBytes }) => {
    const { origin, pathname, search } = new URL(url);
    const request: Dispatcher.DispatchOptions = {
      origin,
      path: pathname + search,
      method,
      headers: { "accept-encoding": "gzip, deflate, br", ...headers },
      body,
      // No timeouts here, because the client aborts `signal` at the deadline.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      const createExchange = (release?: () => void) => new Exchange(signal, maxResponseBytes, resolve, reject, release);
      if (freshConnections && method === "POST") freshConnections.dispatch(origin, request, createExchange);
      else agent.dispatch(request, createExchange());
    });
  };
  const close = async () => {
    if (!dispatcher) await Promise.all([agent.close(), freshConnections?.close()]);
  };
  return Object.assign(send, { close, [Symbol.asyncDispose]: close });
}

/** A decoder that removes a byte order mark, as `fetch` does. */
const utf8 = new TextDecoder();

/**
 * The undici handler for one request, and its response. The body is received even if nobody reads it, so that the connection can be reused.
 */
class Exchange implements Dispatcher.DispatchHandler, FetchResponse {
  status = 0;
  headers = new ReceivedHeaders({});
  readonly #signal: AbortSignal;
  readonly #maxBytes: number;
  readonly #resolve: (response: FetchResponse) => void;
  readonly #release: (() => void) | undefined;
  #reject: (reason: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #chunks: Uint8Array[] = [];
  #body: Promise<void> | undefined;
  #endBody: (() => void) | undefined;

  #receivedBytes = 0;

  /**
   * @param maxBytes the largest body to receive; the connection is closed for a larger one
   * @param release called when the connection is free again
   */
  constructor(
    signal: AbortSignal,
    maxBytes: number,
    resolve: (response: FetchResponse) => void,
    reject: (reason: unknown) => void,
    release?: () => void,
  ) {
    this.#signal = signal;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#release = release;
    signal.addEventListener("abort", this);
  }

  /** Aborts the exchange when the signal is aborted. */
  handleEvent(): void {
    const { reason } = this.#signal;
    // undici then calls onResponseError.
    this.#controller?.abort(reason);
    this.#fail(reason);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#signal.aborted) controller.abort(this.#signal.reason);
  }

  onResponseStart(_controller: unknown, status: number, headers: ReceivedHeaders["valuesByName"]): void {
    // Informational responses such as 103 precede the final response.
    if (status < 200) return;
    this.status = status;
    this.headers = new ReceivedHeaders(headers);
    this.#body = new Promise((resolve, reject) => {
      this.#endBody = resolve;
      // The promise for the response is settled, so from now on a failure rejects the body.
      this.#reject = reject;
    });
    // An unread body that fails must not raise unhandledRejection.
    this.#body.catch(() => {});
    this.#resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#receivedBytes += chunk.byteLength;
    // The code that zlib uses for a result that is too large. `readBody` recognises it.
    if (this.#receivedBytes > this.#maxBytes)
      controller.abort(Object.assign(new RangeError("The body is too large"), { code: "ERR_BUFFER_TOO_LARGE" }));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#release?.();
    this.#signal.removeEventListener("abort", this);
    this.#endBody?.();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#release?.();
    // undici calls onRequestStart before it writes the first byte.
    this.#fail(this.#controller ? error : new NotSentError(error));
  }

  async text(): Promise<string> {
    await this.#body;
    // A single chunk does not need to be copied.
    const [firstChunk = new Uint8Array()] = this.#chunks;
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : firstChunk;
    const encoding = this.headers.get("content-encoding");
    return utf8.decode(encoding ? await decompress(bytes, encoding, this.#maxBytes) : bytes);
  }

  #fail(reason: unknown): void {
    this.#signal.removeEventListener("abort", this);
    this.#reject(reason);
  }
}

/** The headers of a response, without the cost of creating a `Headers` object. */
class ReceivedHeaders {
  /** The header values, by lower-case name. */
  readonly valuesByName: Readonly<Record<string, string | string[] | undefined>>;

  constructor(valuesByName: ReceivedHeaders["valuesByName"]) {
    this.valuesByName = valuesByName;
  }

  get(name: string): string | null {
    const value = this.valuesByName[name.toLowerCase()];
    return typeof value === "object" ? value.join(", ") : (value ?? null);
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const name of Object.keys(this.valuesByName)) yield [name, this.get(name) ?? ""];
  }
}

const decoders = new Map([
  ["gzip", promisify(gunzip)],
  ["x-gzip", promisify(gunzip)],
  ["deflate", promisify(inflate)],
  ["br", promisify(brotliDecompress)],
]);

/**
 * Decodes a body that has a `Content-Encoding`, starting with the last encoding. Like `fetch`, stops at an unknown encoding.
 *
 * @throws {RangeError} `ERR_BUFFER_TOO_LARGE` as soon as the result exceeds `maxBytes`
 */
async function decompress(bytes: Uint8Array, encoding: string, maxBytes: number): Promise<Uint8Array> {
  let decoded = bytes;
  for (const name of encoding.toLowerCase().split(",").reverse()) {
    const decode = decoders.get(name.trim());
    if (!decode) return decoded;
    decoded = await decode(decoded, { maxOutputLength: maxBytes });
  }
  return decoded;
}

/**
 * Reports that no connection was made, even if the code of the cause suggests otherwise. For instance, if a proxy cannot reach the service,
 * the cause is a connection reset, which would otherwise mean that the request may have been received.
 */
class NotSentError extends Error {
  override readonly name = "NotSentError";
  readonly code = notSentCode;

  constructor(cause: Error) {
    super("no connection was made", { cause });
  }
}
