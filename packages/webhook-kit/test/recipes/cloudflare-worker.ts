import { webhookHandler } from "@offers/webhook-kit/fetch";

interface Env {
  WEBHOOK_SECRET: string;
}

let webhooks: ReturnType<typeof webhookHandler> | undefined;

export default {
  fetch(request: Request, env: Env): Promise<Response> {
    // Created on the first request, when the secret is available. Later requests reuse it and its deduplication records.
    webhooks ??= webhookHandler({
      basePath: "/offers",
      secret: env.WEBHOOK_SECRET,
      onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
    });
    return webhooks(request);
  },
};
