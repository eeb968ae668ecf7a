import { setTimeout } from "node:timers/promises";

/** Waits until `condition` is true. @throws after 2 minutes, which only a bug takes; the message names the condition */
export async function eventually(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + 120_000;
  while (!(await condition())) {
    if (performance.now() > giveUpAt) throw new Error(`never came true: ${what}`);
    await setTimeout(25);
  }
}
