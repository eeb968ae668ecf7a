// Loaded into a program in this example with `node --import`. Removes the safeguard that SABOTAGE selects, to show that kills.slow.test.ts
// detects programs without it.
import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";

interface Change {
  file: string;
  original: string;
  replacement: string;
}

export const sabotages = {
  "acknowledges before the commit": [
    {
      file: "worker.ts",
      original: "const isDuplicate = await handleInSpan(parseWebhookEvent(event));",
      replacement:
        "const isDuplicate = false; void pause(100).then(() => handleInSpan(parseWebhookEvent(event))).catch(() => undefined);",
    },
  ],
  "does not wait until the event is stored": [
    { file: "rabbit-queue.ts", original: "confirm: true", replacement: "confirm: false" },
    {
      file: "postgres-queue.ts",
      original: "await boss.send(queueName, event);",
      replacement: "void boss.send(queueName, event).catch(() => undefined);",
    },
  ],
  "has no inbox": [
    {
      file: "handle-event.ts",
      original: "const { duplicate } = await inbox.once(event, (tx) =>",
      replacement: "const duplicate = false; await ((insert: (tx: Pool) => unknown) => insert(pool))((tx) =>",
    },
  ],
} satisfies Record<string, Change[]>;

export type Sabotage = keyof typeof sabotages;

const changes: Change[] = sabotages[process.env.SABOTAGE as Sabotage] ?? [];
if (changes.length > 0)
  registerHooks({
    load(url, context, nextLoad) {
      const change = changes.find(({ file }) => url.endsWith(`/worker/src/${file}`));
      if (change === undefined) return nextLoad(url, context);
      const source = readFileSync(new URL(url), "utf8");
      if (!source.includes(change.original))
        throw new Error(`${change.file} has changed: update ${import.meta.filename}`);
      return {
        format: "module-typescript",
        source: source.replace(change.original, change.replacement),
        shortCircuit: true,
      };
    },
  });
