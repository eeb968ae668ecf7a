import { setTimeout as sleep } from "node:timers/promises";
import { type Outcome, type RequestOptions, sendRequest } from "./send-request.ts";

export interface ClientOptions {
  /** Where processes of the platform listen just now. */
  addresses: () => readonly string[];
  /** Told of an answer that there must not be, in words. */
  onFault: (fault: string) => void;
}

export interface RetryOptions {
  /** Told each time that it may have happened, or not. */
  onDoubt?: () => void;
  /** Whether to go on after an answer other than a success. @default until the run's end */
  signal: AbortSignal;
}

/** A process that is down is back after a second or two. */
const retryPauseMs = 50;

/** The way to the platform, through whichever of its processes is up. */
export class PlatformClient {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Asks once, one of the processes. */
  async send(request: RequestOptions): Promise<Outcome> {
    const addresses = this.#options.addresses();
    const address = addresses[Math.floor(Math.random() * addresses.length)];
    return address === undefined ? "unsent" : sendRequest(address, request);
  }

  /**
   * Asks again and again, any of the processes, until the platform has said yes.
   *
   * @returns the body; undefined when it was given up
   */
  async retryUntilDone(
    request: RequestOptions,
    { signal, onDoubt = () => undefined }: RetryOptions,
  ): Promise<string | undefined> {
    while (!signal.aborted) {
      const outcome = await this.send(request);
      if (outcome === "unknown") onDoubt();
      if (typeof outcome === "string") {
        await sleep(retryPauseMs);
        continue;
      }
      if (outcome.status < 300) return outcome.text;
      if (outcome.status !== 429) {
        this.#options.onFault(`${request.method} ${request.path} was answered ${outcome.status} ${outcome.text}`);
        return undefined;
      }
      await sleep(Math.max(outcome.retryAfterMs, retryPauseMs));
    }
    return undefined;
  }
}
