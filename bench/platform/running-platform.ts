import { setTimeout } from "node:timers/promises";
import { startProcess } from "../../examples/platform/test/support/platform-process.ts";
import type { StorePlace } from "../../examples/platform/test/support/stores.ts";
import { sealKey } from "./backlog.ts";

/** The platform as it is run, in a process of its own. */
export interface RunningPlatform {
  address: string;
  /** When its acknowledgements were committed, in milliseconds: it says so in one log line each. */
  acknowledged: number[];
  stop(): Promise<void>;
}

const acknowledgement = '"outcome":"acknowledged"';

/** @throws when it does not start */
export async function runPlatform(place: StorePlace): Promise<RunningPlatform> {
  const settings = {
    NODE_ENV: "production",
    OFFERS_SEAL_KEY: Buffer.from(sealKey).toString("base64"),
    OFFERS_ALLOW_LOOPBACK: "1",
    OFFERS_RATE_LIMIT: "off",
    OFFERS_PERSON_RATE_LIMIT: "off",
  };
  const platform = startProcess(place, settings, []);
  const acknowledged: number[] = [];
  const listening = new Promise<string>((resolve) => {
    let rest = "";
    platform.child.stdout?.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("latin1")).split("\n");
      rest = lines.pop() ?? "";
      const now = performance.now();
      for (const line of lines) {
        if (line.includes(acknowledgement)) acknowledged.push(now);
        const address = /listening on (http:\/\/\S+)/.exec(line)?.[1];
        if (address !== undefined) resolve(address);
      }
    });
  });
  const ended = platform.exited.then(() => {
    throw new Error(`the platform did not start: ${platform.output.stderr}`);
  });
  const address = await Promise.race([listening, ended]);
  return {
    address,
    acknowledged,
    async stop() {
      platform.child.kill("SIGTERM");
      const { code } = await platform.exited;
      if (code !== 0) throw new Error(`the platform ended with ${code}: ${platform.output.stderr}`);
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
