import { webhookFunction } from "@offers/webhook-kit/lambda";

export const handler = webhookFunction({
  basePath: "/offers",
  secret: process.env.WEBHOOK_SECRET ?? "",
  onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
});
