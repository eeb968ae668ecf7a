import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startProcess } from "./start-process.ts";

const platform = resolve(import.meta.dirname, "../../examples/platform");

export interface DemoPlatform {
  address: string;
  stop(): Promise<void>;
}

/** Starts the reference platform as a process, with the demo data in a temporary folder. */
export async function startDemoPlatform(extraEnv: Readonly<Record<string, string>> = {}): Promise<DemoPlatform> {
  const data = await mkdtemp(join(tmpdir(), "offers-demo-"));
  const settings = {
    DATABASE_URL: "",
    PORT: "0",
    OFFERS_DATA: data,
    OFFERS_SEED: join(platform, "seed/demo.json"),
    OFFERS_ALLOW_LOOPBACK: "1",
    ...extraEnv,
  };
  const { ready, stop } = startProcess(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(platform, "src/main.ts")],
    { env: { ...process.env, ...settings } },
  );
  return {
    address: await ready,
    async stop() {
      await stop("SIGKILL");
      await rm(data, { recursive: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
