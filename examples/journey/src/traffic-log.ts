/** One request with its response. */
export interface Exchange {
  from: string;
  to: string;
  method: string;
  path: string;
  /** The response status, or why there was no response. */
  status: number | string;
  milliseconds: number;
}

/** Records the requests since the last `drain`. */
export class TrafficLog {
  #exchanges: { startedAt: number; exchange: Exchange }[] = [];

  /** Records a request. @param startedAt `performance.now()` when the request started */
  record(startedAt: number, exchange: Omit<Exchange, "milliseconds">): void {
    const milliseconds = Math.round(performance.now() - startedAt);
    this.#exchanges.push({ startedAt, exchange: { ...exchange, milliseconds } });
  }

  /** Returns and clears the recorded requests, sorted by start time. */
  drain(): Exchange[] {
    const exchanges = this.#exchanges.sort((a, b) => a.startedAt - b.startedAt);
    this.#exchanges = [];
    return exchanges.map(({ exchange }) => exchange);
  }
}
