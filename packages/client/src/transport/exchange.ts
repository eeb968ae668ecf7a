import type { Agent, ClientRequest, IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { type Fetch, type FetchResponse, notSentCode } from "../http.ts";
import { decode } from "./content-encoding.ts";
import { markUse } from "./idle-sockets.ts";

/**
 * Sends a request and receives its response. The body is received even if nobody reads it, so that the connection can be reused.
 *
 * @param module `node:http` or `node:https`; its `request` is looked up for every request, because test tools and tracers replace it
 */
export const startExchange = (
  module: { readonly request: typeof request },
  url: URL,
  init: Parameters<Fetch>[1],
  agent: Agent,
): Promise<FetchResponse> =>
  new Promise((resolve, reject) => {
    if (init.signal.aborted) return reject(init.signal.reason);
    const { method, headers, body, signal, maxResponseBytes } = init;
    try {
      const options = { method, headers: { "accept-encoding": "gzip, deflate, br", ...headers }, agent };
      new Exchange(module.request(url, options), signal, maxResponseBytes, resolve, reject).send(body);
    } catch (thrown) {
      reject(new NotSentError(thrown));
    }
  });

/** One request to the service, and its response. */
class Exchange implements FetchResponse {
  status = 0;
  headers = new ReceivedHeaders({});
  readonly #request: ClientRequest;
  readonly #signal: AbortSignal;
  readonly #maxBytes: number;
  readonly #resolve: (response: FetchResponse) => void;
  #reject: (reason: unknown) => void;
  /** Whether the connection is established, so that the service may have received the request. */
  #isConnected = false;
  #bytes: Promise<Uint8Array> | undefined;

  constructor(
    request: ClientRequest,
    signal: AbortSignal,
    maxBytes: number,
    resolve: (response: FetchResponse) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#request = request;
    this.#signal = signal;
    this.#maxBytes = maxBytes;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener("abort", this);
  }

  send(body: string | null): void {
    this.#request
      .on("socket", (socket: Socket & { secureConnecting?: boolean }) => {
        this.#isConnected = !(socket.connecting || socket.secureConnecting);
        if (!this.#isConnected)
          socket.once("secureConnecting" in socket ? "secureConnect" : "connect", () => {
            this.#isConnected = true;
          });
      })
      .on("response", (response) => this.#receive(response))
      .on("error", (error) => this.#fail(this.#isConnected ? error : new NotSentError(withOpenSslCode(error))))
      // Node reports no error for a response with status 101.
      .on("close", () => this.#fail(new Error("the connection was closed before the response")))
      .end(body ?? undefined);
  }

  /** Ends the exchange when the signal is aborted. */
  handleEvent(): void {
    this.#end(this.#signal.reason);
  }

  async text(): Promise<string> {
    const bytes = (await this.#bytes) ?? new Uint8Array();
    return utf8.decode(await decode(bytes, this.headers.get("content-encoding"), this.#maxBytes));
  }

  #receive(response: IncomingMessage): void {
    this.status = response.statusCode ?? 0;
    this.headers = new ReceivedHeaders(response.headersDistinct);
    // After the end, the response has no socket.
    const { socket } = response;
    const chunks: Uint8Array[] = [];
    let receivedBytes = 0;
    const bytes = new Promise<Uint8Array>((resolve, reject) => {
      // The promise for the response is settled, so from now on a failure rejects the body.
      this.#reject = reject;
      response
        .on("data", (chunk: Uint8Array) => {
          receivedBytes += chunk.byteLength;
          chunks.push(chunk);
          if (receivedBytes > this.#maxBytes) this.#end(createTooLargeError());
        })
        .on("end", () => {
          this.#signal.removeEventListener("abort", this);
          markUse(socket);
          // A single chunk does not need to be copied.
          resolve(chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks));
        })
        .on("error", (error) => this.#fail(error));
    });
    // An unread body that fails must not raise unhandledRejection.
    bytes.catch(() => {});
    // These statuses have no body. What the server sends nevertheless is not read, as in `fetch`.
    if (![204, 205, 304].includes(this.status)) this.#bytes = bytes;
    this.#resolve(this);
    if (Number(response.headers["content-length"]) > this.#maxBytes) this.#end(createTooLargeError());
  }

  /** Fails, and closes the connection. */
  #end(reason: unknown): void {
    this.#fail(reason);
    this.#request.destroy();
  }

  #fail(reason: unknown): void {
    this.#signal.removeEventListener("abort", this);
    this.#reject(reason);
  }
}

/** A decoder that removes a byte order mark, as `fetch` does. */
const utf8 = new TextDecoder();

/** The code that zlib uses for a result that is too large. `readBody` recognises it. */
const createTooLargeError = () =>
  Object.assign(new RangeError("the body is too large"), { code: "ERR_BUFFER_TOO_LARGE" });

/** The headers of a response, without the cost of creating a `Headers` object. */
class ReceivedHeaders {
  /** The header values, by lower-case name. */
  readonly valuesByName: NodeJS.Dict<string[]>;

  constructor(valuesByName: NodeJS.Dict<string[]>) {
    this.valuesByName = valuesByName;
  }

  get(name: string): string | null {
    return this.valuesByName[name.toLowerCase()]?.join(", ") ?? null;
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const name of Object.keys(this.valuesByName)) yield [name, this.get(name) ?? ""];
  }
}

/** Node reports an OpenSSL error as `EPROTO` if it occurs while writing. While reading, the code contains OpenSSL's reason. */
function withOpenSslCode(error: Error & { code?: string }): Error {
  const [, reason] = /:SSL routines:[^:]*:([^:]+):/.exec(error.message) ?? [];
  if (error.code === "EPROTO" && reason) error.code = `ERR_SSL_${reason.toUpperCase().replaceAll(" ", "_")}`;
  return error;
}

/**
 * Reports that no connection was made, even if the code of the cause suggests otherwise. For instance, if a proxy cannot reach the service,
 * the cause is a connection reset, which would otherwise mean that the request may have been received.
 */
class NotSentError extends Error {
  override readonly name = "NotSentError";
  readonly code = notSentCode;

  constructor(cause: unknown) {
    // The message of the client's error already says it.
    super("", { cause });
  }
}
