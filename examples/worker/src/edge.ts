// Verifies webhooks and enqueues them without handling them. Its settings are WEBHOOK_SECRET, PORT, and QUEUE_URL or DATABASE_URL. PAUSE_MS
// delays its responses, so that a demonstration can kill it before it responds.
import { setTimeout as pause } from "node:timers/promises";
import { serve } from "@hono/node-server";
import { standardWebhooks } from "@offers/webhook-kit";
import { parseWebhook } from "@offers/webhook-kit/fetch";
import { webhookTracer } from "@offers/webhook-kit/opentelemetry";
import { openQueue } from "./open-queue.ts";

const { WEBHOOK_SECRET = "", PORT = "3001", PAUSE_MS = "0" } = process.env;
const options = {
  basePath: "/offers",
  secret: WEBHOOK_SECRET,
  scheme: standardWebhooks(),
  // Records nothing unless an OpenTelemetry SDK is registered, for example by `node --import`.
  tracer: webhookTracer(),
};
const queue = await openQueue();

async function receiveWebhook(request: Request): Promise<Response> {
  const { event, response } = await parseWebhook(options, request);
  // Enqueue before responding, because the service sends the event again if the process is killed in between.
  if (event) await queue.send(event);
  await pause(Number(PAUSE_MS));
  return response;
}

// Longer than a proxy keeps an idle connection open: 60 s for nginx, 120 s for Caddy.
const serverOptions = { keepAliveTimeout: 130_000 };
serve({ fetch: receiveWebhook, port: Number(PORT), hostname: "127.0.0.1", serverOptions }, ({ port }) =>
  console.log(`edge on port ${port}`),
);
