import type { Dispatcher } from "undici";
import type { FetchResponse } from "../http/fetch-response.ts";
import { decompress } from "./decompress.ts";
import { NotSentError } from "./not-sent-error.ts";
import { ReceivedHeaders } from "./received-headers.ts";

/** Drops a byte order mark, as `fetch` does. */
const utf8 = new TextDecoder();

/**
 * The undici handler of one request, and its response. The body is received even if it is not read, so that the connection can
 * be reused.
 */
export class Exchange implements Dispatcher.DispatchHandler, FetchResponse {
  status = 0;
  headers = new ReceivedHeaders({});
  readonly #signal: AbortSignal;
  readonly #mostBytes: number;
  readonly #resolve: (response: FetchResponse) => void;
  #reject: (reason: unknown) => void;
  #controller: Dispatcher.DispatchController | undefined;
  readonly #chunks: Uint8Array[] = [];
  #body: Promise<void> | undefined;
  #end: (() => void) | undefined;

  #bytes = 0;

  /** @param mostBytes of the body; beyond them the connection is closed (D-98) */
  constructor(
    signal: AbortSignal,
    mostBytes: number,
    resolve: (response: FetchResponse) => void,
    reject: (reason: unknown) => void,
  ) {
    this.#signal = signal;
    this.#mostBytes = mostBytes;
    this.#resolve = resolve;
    this.#reject = reject;
    signal.addEventListener("abort", this);
  }

  /** The signal was aborted. */
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

  onResponseStart(_controller: unknown, status: number, headers: ReceivedHeaders["received"]): void {
    // Informational responses such as 103 precede the response.
    if (status < 200) return;
    this.status = status;
    this.headers = new ReceivedHeaders(headers);
    this.#body = new Promise((resolve, reject) => {
      this.#end = resolve;
      this.#reject = reject;
    });
    // An unread body that breaks off must not raise unhandledRejection.
    this.#body.catch(() => {});
    this.#resolve(this);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    this.#bytes += chunk.byteLength;
    // The code that zlib uses for a result that is too large.
    if (this.#bytes > this.#mostBytes)
      controller.abort(Object.assign(new RangeError("The body is too large"), { code: "ERR_BUFFER_TOO_LARGE" }));
    else this.#chunks.push(chunk);
  }

  onResponseEnd(): void {
    this.#signal.removeEventListener("abort", this);
    this.#end?.();
  }

  onResponseError(_controller: unknown, error: Error): void {
    // undici calls onRequestStart once it has a connection.
    this.#fail(this.#controller ? error : new NotSentError(error));
  }

  async text(): Promise<string> {
    await this.#body;
    const [only = new Uint8Array()] = this.#chunks;
    const bytes = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : only;
    const encoding = this.headers.get("content-encoding");
    return utf8.decode(encoding ? await decompress(bytes, encoding, this.#mostBytes) : bytes);
  }

  #fail(reason: unknown): void {
    this.#signal.removeEventListener("abort", this);
    this.#reject(reason);
  }
}
