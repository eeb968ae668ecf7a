import { setTimeout as sleep } from "node:timers/promises";

export interface PlatformRequest {
  method: "POST" | "PUT";
  path: string;
  headers?: Record<string, string>;
  json?: unknown;
}

/** `unsent`: nothing has happened. `unknown`: the change may have happened, or not, or be about to. */
export type Outcome = { status: number; retryAfterMs: number; text: string } | "unsent" | "unknown";

export interface RetryOptions {
  /** Called for each attempt with an unknown outcome. */
  onUnknown?: () => void;
  signal: AbortSignal;
}

const timeoutMs = 10_000;
/** A process that is down is back after a second or two. */
const retryPauseMs = 50;

export const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

/** Sends requests to the processes of the platform that are up. */
export class PlatformClient {
  readonly #addresses: () => readonly string[];
  readonly #onFault: (fault: string) => void;

  /**
   * @param addresses where processes of the platform listen just now
   * @param onFault called with each unexpected response
   */
  constructor(addresses: () => readonly string[], onFault: (fault: string) => void) {
    this.#addresses = addresses;
    this.#onFault = onFault;
  }

  /** Sends it once, to one of the processes. Never rejects: they die all the time. */
  async send({ method, path, headers, json }: PlatformRequest): Promise<Outcome> {
    const addresses = this.#addresses();
    const address = addresses[Math.floor(Math.random() * addresses.length)];
    if (address === undefined) return "unsent";
    const body = json === undefined ? null : JSON.stringify(json);
    try {
      const response = await fetch(address + path, {
        method,
        body,
        signal: AbortSignal.timeout(timeoutMs),
        headers: { ...headers, ...(json !== undefined && { "Content-Type": "application/json" }) },
      });
      const text = await response.text();
      // An error on its side may have come after the commit.
      if (response.status >= 500) return "unknown";
      const retryAfterMs = 1_000 * Number(response.headers.get("retry-after") ?? 0);
      return { status: response.status, retryAfterMs, text };
    } catch (error) {
      return codeOf(error) === "ECONNREFUSED" ? "unsent" : "unknown";
    }
  }

  /**
   * Sends it to any of the processes until it succeeds.
   *
   * @returns the body; undefined when it was given up
   */
  async retryUntilDone(request: PlatformRequest, { signal, onUnknown }: RetryOptions): Promise<string | undefined> {
    while (!signal.aborted) {
      const outcome = await this.send(request);
      if (outcome === "unknown") onUnknown?.();
      if (typeof outcome === "string") await sleep(retryPauseMs);
      else if (outcome.status < 300) return outcome.text;
      else if (outcome.status === 429) await sleep(Math.max(outcome.retryAfterMs, retryPauseMs));
      else {
        this.#onFault(`${request.method} ${request.path} got ${outcome.status} ${outcome.text}`);
        return undefined;
      }
    }
    return undefined;
  }
}

function codeOf(error: unknown): string | undefined {
  const { code, cause } = Object(error) as NodeJS.ErrnoException;
  return cause === undefined ? code : codeOf(cause);
}
