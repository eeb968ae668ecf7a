import { setTimeout } from "node:timers/promises";

/** Waits until `condition` is true. @throws after 2 minutes, which only a bug takes */
export async function eventually(description: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 120_000;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`never came true: ${description}`);
    await setTimeout(25);
  }
}
