import { webhookHandler } from "@offers/webhook-kit/fetch";

const webhooks = webhookHandler({
  basePath: "/offers",
  // Pass a function, because `next build` runs this file without the secret.
  secret: () => process.env.WEBHOOK_SECRET ?? "",
  onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
});

export { webhooks as GET, webhooks as POST };
