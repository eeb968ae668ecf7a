/** One request and its response. */
export interface Exchange {
  from: string;
  to: string;
  method: string;
  path: string;
  /** The status of the response, or why there was no response. */
  status: number | string;
  milliseconds: number;
}

/** The requests since the last `drain`. */
export class TrafficLog {
  #exchanges: { begun: number; exchange: Exchange }[] = [];

  /** @param begun `performance.now()` at the start of the request */
  record(begun: number, exchange: Omit<Exchange, "milliseconds">): void {
    const milliseconds = Math.round(performance.now() - begun);
    this.#exchanges.push({ begun, exchange: { ...exchange, milliseconds } });
  }

  /** Returns and clears the recorded requests, sorted by the time at which they started. */
  drain(): Exchange[] {
    const drained = this.#exchanges.sort((one, other) => one.begun - other.begun);
    this.#exchanges = [];
    return drained.map(({ exchange }) => exchange);
  }
}
