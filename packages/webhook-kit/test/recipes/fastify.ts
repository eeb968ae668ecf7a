import { webhookListener } from "@offers/webhook-kit/node";
import fastify from "fastify";

const webhooks = webhookListener({
  basePath: "/offers",
  secret: process.env.WEBHOOK_SECRET ?? "",
  onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
});

export const app = fastify();

// Use a separate scope, so that all other routes keep their parsers.
app.register((scope, _options, registered) => {
  scope.removeAllContentTypeParsers();
  // Leave the body unread, because the kit reads it after verifying the headers.
  scope.addContentTypeParser("*", (_request, _body, done) => done(null));
  scope.all("/offers/*", (request, reply) => {
    reply.hijack();
    webhooks(request.raw, reply.raw);
  });
  registered();
});
