import type { AddressInfo } from "node:net";
import express from "express";
import { Redis } from "ioredis";
import { createClient } from "redis";
import { webhookRouter } from "../../src/express.ts";
import { redisDeduplication } from "../../src/redis.ts";
import type { FromProcess, ProcessSetup, ToProcess } from "./messages.ts";

// Runs an Express receiver with deduplication in a shared Redis in a separate process.
const setup = JSON.parse(process.argv[2] ?? "") as ProcessSetup;
const { prefix, secret, handlerTimeoutMs } = setup;
const finished = new Promise<void>((resolve) => {
  process.on("message", (message: ToProcess) => {
    if (message === "finish") resolve();
  });
});

function sendToParent(message: FromProcess): void {
  process.send?.(message);
}

async function openDeduplication() {
  if (setup.client === "ioredis") return redisDeduplication(new Redis(setup.redisUrl), { prefix });
  const client = createClient({ url: setup.redisUrl });
  client.on("error", console.error);
  await client.connect();
  return redisDeduplication(client, { prefix });
}

const app = express();
app.use(
  webhookRouter({
    secret,
    handlerTimeoutMs,
    deduplication: await openDeduplication(),
    onWorkerOfferResponse({ workerId }) {
      sendToParent({ type: "handling", workerId });
      return finished;
    },
  }),
);
const server = app.listen(0, "127.0.0.1", () =>
  sendToParent({ type: "listening", port: (server.address() as AddressInfo).port }),
);

// Exits when the parent exits.
process.on("disconnect", () => process.exit());
