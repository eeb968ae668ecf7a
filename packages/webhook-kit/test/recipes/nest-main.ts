import type { INestApplication } from "@nestjs/common";
import { webhookRouter } from "@offers/webhook-kit/express";

/** Call this between `NestFactory.create` and `listen`, so that it runs before Nest's own body parser. */
export function mountWebhooks(app: INestApplication): void {
  app.use(
    "/offers",
    webhookRouter({
      secret: process.env.WEBHOOK_SECRET ?? "",
      onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
    }),
  );
}
