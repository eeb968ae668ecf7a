import { createServer } from "node:http";
import { webhookListener } from "@offers/webhook-kit/node";

export const server = createServer(
  webhookListener({
    basePath: "/offers",
    secret: process.env.WEBHOOK_SECRET ?? "",
    onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
  }),
);
