// The receiver process, which verifies webhooks and enqueues their events.
import { webhookRouter } from "@offers/webhook-kit/express";
import { webhookTracer } from "@offers/webhook-kit/opentelemetry";
import express from "express";
import { openQueue } from "../../examples/worker/src/open-queue.ts";
import type { ReceiverSetup } from "./traced-system.ts";

const { port, secret, sender, failsFirst } = JSON.parse(process.env.RECEIVER ?? "") as ReceiverSetup;
const queue = await openQueue();
const failedOfferIds = new Set<string>();

const webhooks = webhookRouter({
  secret,
  tracer: webhookTracer({ sender }),
  // Ignore errors: the failures below are deliberate.
  onError: () => undefined,
  async onEvent(event) {
    if (event.type !== "WorkerOfferResponse") return;
    const { offerId } = event.data;
    if (failsFirst && !failedOfferIds.has(offerId)) {
      failedOfferIds.add(offerId);
      throw new Error("The first attempt of each offer fails.");
    }
    await queue.send(event);
  },
});

express()
  .use(webhooks)
  .listen(port, "127.0.0.1", () => console.log(`receiver listening on http://127.0.0.1:${port}`));
