/** One request and its answer, as seen on the wire. */
export interface Exchange {
  from: string;
  to: string;
  method: string;
  path: string;
  /** The status of the answer, or a word for why there was none. */
  status: number | string;
  milliseconds: number;
}

/** Everything that went over the wire since it was last drained, in the order in which it began. */
export class Wire {
  #exchanges: { begun: number; exchange: Exchange }[] = [];

  /** @param begun `performance.now()` when the request began */
  record(begun: number, exchange: Omit<Exchange, "milliseconds">): void {
    const milliseconds = Math.round(performance.now() - begun);
    this.#exchanges.push({ begun, exchange: { ...exchange, milliseconds } });
  }

  drain(): Exchange[] {
    const drained = this.#exchanges.sort((one, other) => one.begun - other.begun);
    this.#exchanges = [];
    return drained.map(({ exchange }) => exchange);
  }
}
