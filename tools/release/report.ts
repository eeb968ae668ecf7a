/** The steps of a run, each with its result: a table at the end. */
export class Report {
  readonly #rows: { step: string; result: "green" | "RED"; seconds: number; found: string }[] = [];

  /**
   * Runs a step.
   *
   * @param check returns what it found, in a few words
   * @returns whether it is green
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
      add("RED", line.slice(0, 160));
      return false;
    }
  }

  get firstRed(): string | undefined {
    return this.#rows.find(({ result }) => result === "RED")?.step;
  }

  print(): void {
    console.table(this.#rows);
  }
}
