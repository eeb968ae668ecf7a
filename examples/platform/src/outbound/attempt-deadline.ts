import { addAbortListener } from "node:events";
import type { OutboundFailureCode } from "./outbound.ts";
import { OutboundError } from "./outbound-error.ts";

/** Aborts an attempt that takes too long. The reason of `signal` is an `OutboundError`; the first one stays. */
export class AttemptDeadline {
  readonly #controller = new AbortController();
  readonly signal = this.#controller.signal;
  readonly #timer: NodeJS.Timeout;
  readonly #stopListener: Disposable | undefined;

  /** @param stop aborts the attempt before its deadline */
  constructor(timeoutMs: number, stop: AbortSignal | undefined) {
    const late = `no complete response within ${timeoutMs} ms`;
    this.#timer = setTimeout(() => this.abort("timeout", late), timeoutMs);
    const stopped = "the platform stopped before the response was complete";
    this.#stopListener = stop && addAbortListener(stop, () => this.abort("aborted", stopped));
  }

  abort(code: OutboundFailureCode, reason: string): void {
    this.#controller.abort(new OutboundError(code, reason));
  }

  /** Settles with `work`, or rejects when the attempt is aborted: undici does not abort while it connects. */
  race<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      addAbortListener(this.signal, () => reject(this.signal.reason));
      work.then(resolve, reject);
    });
  }

  /** Call it when the attempt is over. */
  close(): void {
    clearTimeout(this.#timer);
    this.#stopListener?.[Symbol.dispose]();
  }
}
