import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";

export const app = express();

// Mount it before express.json(), because the kit reads the body after verifying the headers.
app.use(
  "/offers",
  webhookRouter({
    secret: process.env.WEBHOOK_SECRET ?? "",
    onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
  }),
);
app.use(express.json());
