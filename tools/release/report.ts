/** The steps of a run, each with its result: a table at the end. */
export class Report {
  readonly #rows: { step: string; result: "green" | "RED" | "not run"; seconds: number | ""; found: string }[] = [];

  /**
   * Runs a step.
   *
   * @param check returns what it found, in a few words
   * @returns what `check` returned, or undefined when it threw: later steps may then make no sense
   */
  async step(step: string, check: () => Promise<string>): Promise<boolean> {
    const start = performance.now();
    const add = (result: "green" | "RED", found: string) => {
      this.#rows.push({ step, result, seconds: Math.round((performance.now() - start) / 1_000), found });
      console.log(`${result === "green" ? "✓" : "✗"} ${step}: ${found}`);
    };
    try {
      add("green", await check());
      return true;
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
      add("RED", line.slice(0, 120));
      return false;
    }
  }

  skip(...steps: readonly string[]): void {
    for (const step of steps) this.#rows.push({ step, result: "not run", seconds: "", found: "" });
  }

  get isGreen(): boolean {
    return this.#rows.every(({ result }) => result === "green");
  }

  print(): void {
    console.table(this.#rows);
  }
}
