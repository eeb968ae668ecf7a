import type { TrafficLog } from "./traffic-log.ts";

export interface CallResponse<Body> {
  status: number;
  /** The parsed body; undefined if it is not JSON. */
  body: Body;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** The request body. A string is sent unchanged, any other value as JSON. */
  body?: unknown;
  /** Whether to omit the call from the traffic log, which polling every 50 ms would flood. */
  quiet?: boolean;
}

/** Makes HTTP requests to one process and records each request in the traffic log. */
export class Caller {
  readonly #traffic: TrafficLog;
  readonly #from: string;
  readonly #to: string;
  readonly #url: string;
  #token: string | undefined;

  constructor(traffic: TrafficLog, from: string, to: string, url: string) {
    this.#traffic = traffic;
    this.#from = from;
    this.#to = to;
    this.#url = url;
  }

  /** Sets the token that all later calls send. */
  setToken(token: string): void {
    this.#token = token;
  }

  get headers(): Record<string, string> {
    return this.#token ? { authorization: `Bearer ${this.#token}` } : {};
  }

  async call<Body = unknown>(method: string, path: string, options: CallOptions = {}): Promise<CallResponse<Body>> {
    const startedAt = performance.now();
    const { body } = options;
    const response = await fetch(new URL(path, this.#url), {
      method,
      headers: {
        ...this.headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!options.quiet)
      this.#traffic.record(startedAt, { from: this.#from, to: this.#to, method, path, status: response.status });
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, body: (isJson ? JSON.parse(text) : undefined) as Body };
  }
}
