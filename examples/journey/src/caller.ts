import type { Wire } from "./wire.ts";

export interface Answer<Body> {
  status: number;
  /** Parsed where it is JSON, undefined otherwise. */
  body: Body;
}

export interface CallOptions {
  headers?: Record<string, string>;
  /** Sent as JSON; a string is sent as it is. */
  body?: unknown;
  /** Not noted on the wire: somebody who looks again and again would drown out the story. */
  quiet?: boolean;
}

/** Somebody who makes HTTP requests to one party. Each is noted on the wire. */
export class Caller {
  readonly #wire: Wire;
  readonly #from: string;
  readonly #to: string;
  readonly #address: string;
  #token: string | undefined;

  constructor(wire: Wire, from: string, to: string, address: string) {
    this.#wire = wire;
    this.#from = from;
    this.#to = to;
    this.#address = address;
  }

  /** Later calls carry this token. */
  signIn(token: string): void {
    this.#token = token;
  }

  get headers(): Record<string, string> {
    return this.#token ? { authorization: `Bearer ${this.#token}` } : {};
  }

  async call<Body = unknown>(method: string, path: string, options: CallOptions = {}): Promise<Answer<Body>> {
    const begun = performance.now();
    const { body } = options;
    const response = await fetch(new URL(path, this.#address), {
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
      this.#wire.record(begun, { from: this.#from, to: this.#to, method, path, status: response.status });
    const isJson = /json/.test(response.headers.get("content-type") ?? "");
    return { status: response.status, body: (isJson ? JSON.parse(text) : undefined) as Body };
  }
}
