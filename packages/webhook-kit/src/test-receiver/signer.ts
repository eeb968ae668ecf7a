import { randomUUID } from "node:crypto";
import type { SignatureScheme } from "../signature/signature-scheme.ts";
import type { HeaderList } from "./transport.ts";

/** Signs requests as the service does. */
export class Signer {
  readonly scheme: SignatureScheme;
  readonly secret: string;
  readonly #now: () => Date;
  #last = Number.NaN;

  constructor(options: { scheme: SignatureScheme; secret: string; now: () => Date }) {
    this.scheme = options.scheme;
    this.secret = options.secret;
    this.#now = options.now;
  }

  /** Never the same millisecond twice in a row: the same event signed at the same time is the same request to a receiver. */
  now(): Date {
    const time = this.#now().getTime();
    const ahead = this.#last - time;
    this.#last = ahead >= 0 && ahead < 1_000 ? this.#last + 1 : time;
    return new Date(this.#last);
  }

  /** @param how.shiftMs how far from now it is signed */
  async sign(body?: Uint8Array, how: { secret?: string; shiftMs?: number } = {}): Promise<HeaderList> {
    const { secret = this.secret, shiftMs = 0 } = how;
    const now = new Date(this.now().getTime() + shiftMs);
    const id = `msg_${randomUUID()}`;
    return Object.entries(await this.scheme.sign({ secret, now, id, body: body ?? new Uint8Array() }));
  }
}
