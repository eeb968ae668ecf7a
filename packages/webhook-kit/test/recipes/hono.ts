import { webhookHandler } from "@offers/webhook-kit/fetch";
import { Hono } from "hono";

const webhooks = webhookHandler({
  basePath: "/offers",
  secret: process.env.WEBHOOK_SECRET ?? "",
  onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
});

const app = new Hono();
app.all("/offers/*", ({ req }) => webhooks(req.raw));

export default app;
