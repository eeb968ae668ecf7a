import { setTimeout as sleep } from "node:timers/promises";
import { ask, type Question, type Reply } from "./ask.ts";

export interface DoorOptions {
  /** Where processes of the platform listen just now. */
  addresses: () => readonly string[];
  /** Told of an answer that there must not be, in words. */
  onFault: (fault: string) => void;
}

export interface InsistOptions {
  /** Told each time that it may have happened, or not. */
  onDoubt?: () => void;
  /** Whether to go on after an answer other than a success. @default until the run's end */
  signal: AbortSignal;
}

/** A process that is down is back after a second or two. */
const retryPauseMs = 50;

/** The way to the platform, through whichever of its processes is up. */
export class PlatformDoor {
  readonly #options: DoorOptions;

  constructor(options: DoorOptions) {
    this.#options = options;
  }

  /** Asks once, one of the processes. */
  async ask(question: Question): Promise<Reply> {
    const addresses = this.#options.addresses();
    const address = addresses[Math.floor(Math.random() * addresses.length)];
    return address === undefined ? "unsent" : ask(address, question);
  }

  /**
   * Asks again and again, any of the processes, until the platform has said yes.
   *
   * @returns the body; undefined when it was given up
   */
  async insist(question: Question, { signal, onDoubt = () => undefined }: InsistOptions): Promise<string | undefined> {
    while (!signal.aborted) {
      const reply = await this.ask(question);
      if (reply === "doubtful") onDoubt();
      if (typeof reply === "string") {
        await sleep(retryPauseMs);
        continue;
      }
      if (reply.status < 300) return reply.text;
      if (reply.status !== 429) {
        this.#options.onFault(`${question.method} ${question.path} was answered ${reply.status} ${reply.text}`);
        return undefined;
      }
      await sleep(Math.max(reply.retryAfterMs, retryPauseMs));
    }
    return undefined;
  }
}
