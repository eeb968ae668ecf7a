import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";

export const app = express();

// Before express.json(): the kit reads the body once the headers are verified.
app.use(
  "/offers",
  webhookRouter({
    secret: process.env.WEBHOOK_SECRET ?? "",
    onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
  }),
);
app.use(express.json());
