import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startProcess } from "../../processes/start-process.ts";
import { playJourney } from "./platform-journey.ts";
import type { SeenRequest, Upstream } from "./upstream.ts";

const platform = resolve(import.meta.dirname, "../../../examples/platform");

/** The reference platform with the demo data, and one proxy whose `X-Forwarded-For` it trusts. */
export async function startPlatform(): Promise<Upstream> {
  const data = await mkdtemp(join(tmpdir(), "offers-proxies-"));
  const seen = new Map<string, SeenRequest>();
  const failures: string[] = [];
  const onLine = (line: string): void => {
    if (!line.startsWith("{")) return void failures.push(line);
    const { level, msg, method, route, requestId } = JSON.parse(line);
    // Only `readEffects` asks these, and directly.
    if (msg === "http.response" && !route.startsWith("/portal"))
      seen.set(requestId, { method, target: route, isTemplate: true });
    if (level >= 50) failures.push(line);
  };
  const started = startProcess(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(platform, "src/main.ts")],
    {
      onLine,
      env: {
        PATH: process.env.PATH,
        PORT: "0",
        OFFERS_DATA: data,
        OFFERS_SEED: join(platform, "seed/demo.json"),
        OFFERS_ALLOW_LOOPBACK: "1",
        OFFERS_TRUSTED_PROXIES: "1",
        // Of valid keys; that of wrong ones stays.
        OFFERS_RATE_LIMIT: "1000000/m",
        OFFERS_PERSON_RATE_LIMIT: "off",
      },
    },
  );
  const address = await started.ready;
  const token = await signIn(address);
  const effects = new Map<string, string>();
  return {
    name: "platform",
    port: Number(new URL(address).port),
    credentials: ["X-UE-Api-Subscription-Key"],
    seen,
    failures,
    draftInPath: async () => undefined,
    async draft(length = 0) {
      const marker = `Köchin 漢字😀 ${randomUUID()}`;
      const offer = { createdByUserId: "user_hana", title: marker, details: "é漢😀", workerIds: ["worker_amal"] };
      // The contract limits the length of each field.
      const body = Buffer.from(JSON.stringify(offer) + " ".repeat(length));
      const headers = [
        "Host: localhost",
        "Connection: close",
        "Content-Type: application/json",
        `Content-Length: ${body.length}`,
        "X-UE-Api-Subscription-Key: demo-key-harbour",
      ];
      return { method: "POST", target: "/offer", version: "HTTP/1.1", headers, body, marker };
    },
    async readEffects() {
      // Directly, so that no proxy logs it.
      const response = await fetch(`${address}/portal/offers?limit=20`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { offers } = (await response.json()) as { offers: { id: string; title: string }[] };
      for (const { id, title } of offers) effects.set(id, title);
      return [...effects.values()];
    },
    journey: (port) => playJourney(`http://127.0.0.1:${port}`, address),
    async close() {
      await started.stop("SIGKILL");
      await rm(data, { recursive: true, maxRetries: 5, retryDelay: 100 });
    },
  };
}

async function signIn(address: string): Promise<string> {
  const response = await fetch(`${address}/portal/session`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ emailAddress: "hana@harbour-hotels.example", password: "demo-password" }),
  });
  return ((await response.json()) as { token: string }).token;
}
