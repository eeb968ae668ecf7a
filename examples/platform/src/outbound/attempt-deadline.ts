import type { OutboundFailure } from "./outbound.ts";

type Reason = Pick<OutboundFailure, "code" | "reason">;

/** Ends an attempt that does not end by itself. The first reason stays. */
export class AttemptDeadline {
  /** Why it was ended; undefined while it was not. */
  reason: Reason | undefined;
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;
  readonly #stop: AbortSignal | undefined;

  /** @param stop ends it too, before its time */
  constructor(timeoutMs: number, stop: AbortSignal | undefined) {
    const reason = `no complete response within ${timeoutMs} ms`;
    this.#timer = setTimeout(() => this.end({ code: "timeout", reason }), timeoutMs);
    this.#stop = stop;
    if (stop?.aborted) this.#onStop();
    stop?.addEventListener("abort", this.#onStop);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Settles as `work` does, or rejects at the end if that comes first: a connection that is being made heeds no signal. */
  orEnd<T>(work: Promise<T>): Promise<T> {
    const { signal } = this;
    const ended = new Promise<never>((_, reject) => {
      const fail = (): void => reject(signal.reason);
      if (signal.aborted) fail();
      else signal.addEventListener("abort", fail, { once: true });
    });
    return Promise.race([work, ended]);
  }

  end(reason: Reason): void {
    this.reason ??= reason;
    this.#controller.abort();
  }

  /** The attempt is over: nothing waits for it any longer. */
  close(): void {
    clearTimeout(this.#timer);
    this.#stop?.removeEventListener("abort", this.#onStop);
  }

  readonly #onStop = (): void =>
    this.end({ code: "aborted", reason: "the platform stopped before the response was complete" });
}
