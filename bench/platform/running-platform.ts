import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { TestDatabase } from "../../examples/platform/test/support/stores/stores.ts";
import { startProcess } from "../../tools/processes/start-process.ts";
import { encryptionKey } from "./backlog.ts";

/** The platform as it is run, in a process of its own. */
export interface RunningPlatform {
  address: string;
  pid: number;
  /** When its acknowledgements were committed, in milliseconds: it logs each in one line. */
  acknowledged: number[];
  stop(): Promise<void>;
}

const main = fileURLToPath(new URL("../../examples/platform/src/main.ts", import.meta.url));

/** @throws when it does not start */
export async function runPlatform({ options }: TestDatabase): Promise<RunningPlatform> {
  const acknowledged: number[] = [];
  const platform = startProcess(process.execPath, [main], {
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      PORT: "0",
      OFFERS_DATA: options.dataFolder,
      DATABASE_URL: options.databaseUrl ?? "",
      NODE_ENV: "production",
      OFFERS_ENCRYPTION_KEY: Buffer.from(encryptionKey).toString("base64"),
      OFFERS_ALLOW_LOOPBACK: "1",
      OFFERS_RATE_LIMIT: "off",
      OFFERS_PERSON_RATE_LIMIT: "off",
    },
    onLine(line) {
      if (line.includes('"outcome":"acknowledged"')) acknowledged.push(performance.now());
    },
  });
  return {
    address: await platform.ready,
    pid: platform.child.pid ?? 0,
    acknowledged,
    async stop() {
      const code = await platform.stop();
      if (code !== 0) throw new Error(`the platform exited with ${code}: ${platform.lines.slice(-20).join("\n")}`);
    },
  };
}

/**
 * Waits until these have acknowledged `events` together.
 *
 * @returns when each was, in order
 */
export async function allAcknowledged(platforms: readonly RunningPlatform[], events: number): Promise<number[]> {
  const giveUpAt = performance.now() + 300_000;
  for (;;) {
    const times = platforms.flatMap(({ acknowledged }) => acknowledged);
    if (times.length >= events) return times.sort((a, b) => a - b);
    if (performance.now() > giveUpAt) throw new Error(`${times.length} events acknowledged of ${events}`);
    await setTimeout(50);
  }
}
