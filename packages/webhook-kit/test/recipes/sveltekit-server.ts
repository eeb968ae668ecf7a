import { webhookHandler } from "@offers/webhook-kit/fetch";

const webhooks = webhookHandler({
  basePath: "/offers",
  // A function, since `vite build` runs this file where the secret is not known.
  secret: () => process.env.WEBHOOK_SECRET ?? "",
  onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
});

export const fallback = ({ request }: { request: Request }): Promise<Response> => webhooks(request);
