import { webhookHandler } from "@offers/webhook-kit/fetch";
import { Hono } from "hono";

const secrets = new Map([
  ["harbour", process.env.HARBOUR_WEBHOOK_SECRET],
  ["meadow", process.env.MEADOW_WEBHOOK_SECRET],
]);
const tenantOf = ({ url }: Request) => new URL(url).pathname.split("/")[1] ?? "";

const webhooks = webhookHandler({
  basePath: "/:tenant/offers",
  secret: (request) => secrets.get(tenantOf(request)),
  onWorkerOfferResponse: ({ offerId, workerId, response }, { request }) =>
    console.log(tenantOf(request), offerId, workerId, response),
});

export const app = new Hono();
app.all("/:tenant/offers/*", ({ req }) => webhooks(req.raw));
