import { randomUUID } from "node:crypto";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { signHeaders } from "@offers/webhook-kit/testing";
import { startProcess } from "../../processes/start-process.ts";

/** A server as a process of its own. */
export interface Victim {
  address: string;
  /** What another client asks meanwhile. @returns the status */
  ask(): Promise<number>;
  /** How many connections to it are open. */
  countConnections(): Promise<number>;
  /** MiB of memory in use. */
  readMemory(): Promise<number>;
  /** Headers with which a request is read to its end, in one line. */
  credentials(): Promise<string>;
  isRunning(): boolean;
  stop(): Promise<void>;
}

type Specific = Pick<Victim, "ask" | "credentials">;

async function startVictim(
  module: string,
  env: Record<string, string>,
  toSpecific: (address: string) => Specific,
): Promise<Victim> {
  const flags = ["--disable-warning=ExperimentalWarning", module];
  const { child, ready, stop } = startProcess(process.execPath, flags, { env: { PATH: process.env.PATH, ...env } });
  const address = await ready;
  const port = Number(new URL(address).port).toString(16).toUpperCase().padStart(4, "0");
  // Of Linux: local address, remote address, state, each in hexadecimal digits; 01 is an established connection.
  const established = new RegExp(`^ *\\d+: 0100007F:${port} [\\dA-F:]+ 01 `, "gm");
  return {
    address,
    ...toSpecific(address),
    countConnections: async () => (await readFile("/proc/net/tcp", "utf8")).match(established)?.length ?? 0,
    async readMemory() {
      const status = await readFile(`/proc/${child.pid}/status`, "utf8");
      return Math.round(Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024);
    },
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop() {
      if (child.exitCode === null && child.signalCode === null) await stop("SIGKILL");
    },
  };
}

const statusOf = async (address: string, init: RequestInit): Promise<number> => {
  const response = await fetch(address, { signal: AbortSignal.timeout(20_000), ...init });
  await response.arrayBuffer();
  return response.status;
};

export function startReceiver(): Promise<Victim> {
  const secret = randomUUID();
  const module = join(import.meta.dirname, "receiver.ts");
  return startVictim(module, { WEBHOOK_SECRET: secret }, (address) => ({
    async ask() {
      const headers = { ...(await signHeaders({ secret })), "content-type": "application/json" };
      const body = JSON.stringify({ offerId: randomUUID(), workerId: "worker_amal", response: "accepted" });
      return statusOf(`${address}/offers/offer/response`, { method: "POST", headers, body });
    },
    credentials: async () =>
      Object.entries(await signHeaders({ secret }))
        .map((header) => header.join(": "))
        .join("\r\n"),
  }));
}

export async function startPlatform(): Promise<Victim> {
  const platform = resolve(import.meta.dirname, "../../../examples/platform");
  const data = await mkdtemp(join(tmpdir(), "offers-slow-clients-"));
  const key = "demo-key-harbour";
  const env = {
    PORT: "0",
    OFFERS_DATA: data,
    OFFERS_SEED: join(platform, "seed/demo.json"),
    OFFERS_RATE_LIMIT: "off",
    OFFERS_PERSON_RATE_LIMIT: "off",
  };
  const victim = await startVictim(join(platform, "src/main.ts"), env, (address) => ({
    ask() {
      const offer = { createdByUserId: "user_hana", title: randomUUID(), workerIds: ["worker_amal"] };
      const headers = { "content-type": "application/json", "x-ue-api-subscription-key": key };
      return statusOf(`${address}/offer`, { method: "POST", headers, body: JSON.stringify(offer) });
    },
    credentials: async () => `X-UE-Api-Subscription-Key: ${key}`,
  }));
  return {
    ...victim,
    async stop() {
      await victim.stop();
      await rm(data, { recursive: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}
