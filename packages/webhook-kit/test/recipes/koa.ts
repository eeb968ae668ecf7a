import { webhookListener } from "@offers/webhook-kit/node";
import Koa from "koa";

const webhooks = webhookListener({
  basePath: "/offers",
  secret: process.env.WEBHOOK_SECRET ?? "",
  onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
});

export const app = new Koa();

// Mount it before any body parser, because the kit reads the body after verifying the headers.
app.use(async (context, next) => {
  if (!context.path.startsWith("/offers/")) return next();
  context.respond = false; // the kit responds
  webhooks(context.req, context.res);
});
