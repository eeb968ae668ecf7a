import { webhookHandler } from "@offers/webhook-kit/fetch";

interface Env {
  WEBHOOK_SECRET: string;
}

let webhooks: ReturnType<typeof webhookHandler> | undefined;

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    // The secret is available only in requests. The first one creates the receiver, and later ones reuse it and its records.
    webhooks ??= webhookHandler({
      basePath: "/offers",
      secret: env.WEBHOOK_SECRET,
      onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
    });
    return webhooks(request);
  },
};
