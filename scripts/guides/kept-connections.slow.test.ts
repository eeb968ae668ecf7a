// A proxy reuses idle connections. If the program has closed such a connection, the proxy responds with 502.
import { once } from "node:events";
import { Agent, request } from "node:http";
import { join } from "node:path";
import { timestampDigest } from "@offers/webhook-kit";
import { expect, onTestFinished, test, vi } from "vitest";
import { findRedis, redisUrl } from "../../packages/webhook-kit/test/deduplication/redis-server.ts";
import { findFreePort } from "../processes/free-port.ts";
import { startProcess } from "../processes/start-process.ts";

const root = join(import.meta.dirname, "../..");
const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

async function startProgram(file: string) {
  const port = await findFreePort();
  const env = {
    ...process.env,
    PORT: String(port),
    WEBHOOK_SECRET: secret,
    REDIS_URL: redisUrl,
    QUEUE_URL: "amqp://127.0.0.1:1",
  };
  const program = startProcess(process.execPath, [join(root, file)], { env, ready: new RegExp(`(${port})`) });
  onTestFinished(() => void program.stop("SIGKILL"));
  await program.ready;
  return { ...program, address: `http://127.0.0.1:${port}/offers` };
}

const redisPrograms = (await findRedis()) === undefined ? [] : ["docs/containers/receiver/server.mjs"];

test.each([...redisPrograms, "examples/integrator/src/main.ts", "examples/worker/src/edge.ts"])(
  "%s keeps an idle connection open longer than a proxy: 60 s for nginx and ALB, 120 s for Caddy",
  async (file) => {
    const { address } = await startProgram(file);
    const response = await fetch(`${address}/test`);
    expect(response.status).toBe(200);
    expect(Number(/^timeout=(\d+)$/.exec(response.headers.get("keep-alive") ?? "")?.[1])).toBeGreaterThan(120);
  },
);

// The time limit is shorter than the keep-alive timeout.
test.each(redisPrograms)(
  "%s stops after its last response, without waiting for idle connections",
  { timeout: 60_000 },
  async (file) => {
    const { address, stop } = await startProgram(file);
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    const event = JSON.stringify({ offerId: "offer_4f1c2a", workerId: "worker_amal", response: "accepted" });
    const headers = {
      ...timestampDigest().sign({ secret, now: new Date() }),
      "content-type": "application/json",
      "content-length": event.length,
      expect: "100-continue",
    };
    const pendingRequest = request(`${address}/offer/response`, { method: "POST", agent, headers });
    pendingRequest.flushHeaders();
    await once(pendingRequest, "continue");
    const stopped = stop("SIGTERM");
    await vi.waitFor(() => expect(fetch(`${address}/test`)).rejects.toThrow(), { timeout: 60_000 });
    pendingRequest.end(event);
    const [response] = await once(pendingRequest, "response");
    expect([response.statusCode, response.headers.connection]).toEqual([200, "keep-alive"]);
    response.resume();
    expect(await stopped).toBe(0);
  },
);
