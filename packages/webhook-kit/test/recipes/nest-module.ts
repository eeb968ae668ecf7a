import { type MiddlewareConsumer, Module, type NestModule } from "@nestjs/common";
import { webhookRouter } from "@offers/webhook-kit/express";

export class WebhooksModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    const webhooks = webhookRouter({
      secret: process.env.WEBHOOK_SECRET ?? "",
      onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
    });
    // Do not add a wildcard, because Nest would then strip the whole path.
    consumer.apply(webhooks).forRoutes("offers");
  }
}
Module({})(WebhooksModule); // the same as @Module({}) above the class
