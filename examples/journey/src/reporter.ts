import { styleText } from "node:util";
import type { TrafficLog } from "./traffic-log.ts";

/** Prints each step with the requests made during the step. */
export class Reporter {
  readonly #traffic: TrafficLog;
  #passedCount = 0;
  #failedCount = 0;

  /** Runs before every step. It is not reported. */
  beforeStep: () => Promise<void> = async () => {};

  constructor(traffic: TrafficLog) {
    this.#traffic = traffic;
  }

  scenario(title: string): void {
    console.log(`\n${styleText("bold", title)}`);
  }

  /** Runs one step. A failed step ends the walkthrough, because later steps depend on it. */
  async step<T>(title: string, run: () => Promise<T>): Promise<T> {
    const number = String(this.#passedCount + this.#failedCount + 1).padStart(3);
    try {
      await this.beforeStep();
      const result = await run();
      this.#passedCount++;
      console.log(`${number} ${styleText("green", "✓")} ${title}`);
      return result;
    } catch (error) {
      this.#failedCount++;
      console.log(`${number} ${styleText("red", "✗")} ${title}`);
      throw error;
    } finally {
      this.#printTraffic();
    }
  }

  formatSummary(): string {
    return `journey: ${this.#passedCount} steps passed, ${this.#failedCount} failed`;
  }

  #printTraffic(): void {
    for (const { from, to, method, path, status, milliseconds } of this.#traffic.drain()) {
      const route = `${from} → ${to}`.padEnd(23);
      const line = `${route} ${`${method} ${shortenIds(path)}`.padEnd(58)} ${status}  ${milliseconds} ms`;
      console.log(styleText("dim", `      ${line}`));
    }
  }
}

/** Shortens ids to their first eight characters, which are enough to distinguish them in a walkthrough. */
const shortenIds = (path: string) => path.replace(/([\da-f]{8})-[\da-f]{4}-[\da-f-]{22}/g, "$1…");
