import type { Dispatcher } from "undici";
import type { OutboundRequest, OutboundResponse } from "./outbound.ts";
import { OutboundError } from "./outbound-error.ts";
import { retryAfterMs } from "./retry-after.ts";

export interface ExchangeOptions extends Pick<OutboundRequest, "timeoutMs" | "signal" | "mayStart"> {
  maxReadBytes: number;
}

export type ReceivedResponse = Omit<OutboundResponse, "durationMs" | "sentHeaders">;

/** An endless sequence of them would take the time of all other attempts. */
const maxInformationalResponses = 64;

/** Sends one request and receives its response, as a handler of undici: an attempt takes a third less CPU than by `undici.request`. */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  options: ExchangeOptions,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    dispatcher.dispatch(request, new Exchange(options, resolve, reject));
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #options: ExchangeOptions;
  readonly #resolve: (response: ReceivedResponse) => void;
  readonly #reject: (error: Error) => void;
  readonly #deadline: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #error: OutboundError | undefined;
  #informationalResponses = 0;
  #response: Omit<ReceivedResponse, "body" | "truncated"> = { ok: true, status: 0 };
  readonly #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(options: ExchangeOptions, resolve: (response: ReceivedResponse) => void, reject: (error: Error) => void) {
    this.#options = options;
    this.#resolve = resolve;
    this.#reject = reject;
    const { timeoutMs, signal } = options;
    const late = (): void => this.#end(new OutboundError("timeout", `no complete response within ${timeoutMs} ms`));
    this.#deadline = setTimeout(late, timeoutMs);
    signal?.addEventListener("abort", this);
    if (signal?.aborted) this.handleEvent();
  }

  /** `signal` was aborted. */
  handleEvent(): void {
    this.#end(new OutboundError("aborted", "the platform stopped before the response was complete"));
  }

  /**
   * There is a connection, and the request is about to be written to it. The wait for it may be long: a process that stood still
   * meanwhile would send what another has sent since, and perhaps what comes after it.
   */
  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#error !== undefined) controller.abort(this.#error);
    else if (this.#options.mayStart?.() === false) this.#end(new OutboundError("aborted", "the lease has ended"));
  }

  onResponseStart(_: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    if (status < 200) {
      this.#informationalResponses += 1;
      if (this.#informationalResponses > maxInformationalResponses)
        this.#end(
          new OutboundError("protocol_error", `more than ${maxInformationalResponses} informational responses`),
        );
      return;
    }
    const { "content-type": contentType, "retry-after": retryAfter } = headers;
    const wait = retryAfterMs(retryAfter, Date.now());
    this.#response = {
      ...{ ok: true, status },
      ...(typeof contentType === "string" && { contentType }),
      ...(wait !== undefined && { retryAfterMs: wait }),
    };
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes <= this.#options.maxReadBytes) return;
    this.#complete(true);
    controller.abort(new Error("enough was read"));
  }

  onResponseEnd(): void {
    this.#complete(false);
  }

  onResponseError(_: unknown, error: Error): void {
    this.#close();
    this.#reject(error);
  }

  #complete(truncated: boolean): void {
    this.#close();
    const body = Buffer.concat(this.#chunks).subarray(0, this.#options.maxReadBytes);
    this.#resolve({ ...this.#response, body, truncated });
  }

  /** undici does not abort while it connects: then it aborts when there is a connection. */
  #end(error: OutboundError): void {
    this.#error ??= error;
    this.#controller?.abort(error);
    this.#close();
    this.#reject(error);
  }

  #close(): void {
    clearTimeout(this.#deadline);
    this.#options.signal?.removeEventListener("abort", this);
  }
}
