import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";

const secrets = new Map([
  ["harbour", process.env.HARBOUR_WEBHOOK_SECRET],
  ["meadow", process.env.MEADOW_WEBHOOK_SECRET],
]);

export const app = express();

app.use(
  "/:tenant/offers",
  webhookRouter({
    secret: ({ params }) => secrets.get(String(params.tenant)),
    onWorkerOfferResponse: ({ offerId, workerId, response }, { request }) =>
      console.log(request.params.tenant, offerId, workerId, response),
  }),
);
