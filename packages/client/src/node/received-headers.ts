/** The headers of a response, without the cost of creating a `Headers`. */
export class ReceivedHeaders {
  /** Names are in lower case. */
  readonly received: Readonly<Record<string, string | string[] | undefined>>;

  constructor(received: ReceivedHeaders["received"]) {
    this.received = received;
  }

  get(name: string): string | null {
    const value = this.received[name.toLowerCase()];
    return typeof value === "object" ? value.join(", ") : (value ?? null);
  }

  *[Symbol.iterator](): Generator<[string, string]> {
    for (const name of Object.keys(this.received)) yield [name, this.get(name) ?? ""];
  }
}
