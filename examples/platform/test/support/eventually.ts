import { setTimeout } from "node:timers/promises";

/** Waits until `condition` is true. @throws an error with the description if the condition is still false after 2 minutes */
export async function eventually(description: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + 120_000;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`never came true: ${description}`);
    await setTimeout(25);
  }
}
