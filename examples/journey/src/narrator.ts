import { styleText } from "node:util";
import type { Wire } from "./wire.ts";

/** Tells the story on the terminal: each step by name, then what went over the wire meanwhile. */
export class Narrator {
  readonly #wire: Wire;
  #passed = 0;
  #failed = 0;

  /** Done before every step from now on, untold. */
  beforeStep: () => Promise<void> = async () => {};

  constructor(wire: Wire) {
    this.#wire = wire;
  }

  chapter(title: string): void {
    console.log(`\n${styleText("bold", title)}`);
  }

  /** Plays one step. A step that does not hold ends the story: what follows builds on it. */
  async step<T>(title: string, play: () => Promise<T>): Promise<T> {
    const number = String(this.#passed + this.#failed + 1).padStart(3);
    try {
      await this.beforeStep();
      const result = await play();
      this.#passed++;
      console.log(`${number} ${styleText("green", "✓")} ${title}`);
      return result;
    } catch (error) {
      this.#failed++;
      console.log(`${number} ${styleText("red", "✗")} ${title}`);
      throw error;
    } finally {
      this.#tellWire();
    }
  }

  get failed(): number {
    return this.#failed;
  }

  closingLine(): string {
    return `journey: ${this.#passed} steps passed, ${this.#failed} failed`;
  }

  #tellWire(): void {
    for (const { from, to, method, path, status, milliseconds } of this.#wire.drain()) {
      const parties = `${from} → ${to}`.padEnd(23);
      const line = `${parties} ${`${method} ${shortened(path)}`.padEnd(58)} ${status}  ${milliseconds} ms`;
      console.log(styleText("dim", `      ${line}`));
    }
  }
}

/** Ids are long; their beginning is enough to tell them apart. */
const shortened = (path: string) => path.replace(/([\da-f]{8})-[\da-f]{4}-[\da-f-]{22}/g, "$1…");
