import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";

export const webhooks = express().use(
  "/offers",
  webhookRouter({
    secret: process.env.WEBHOOK_SECRET ?? "",
    onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
  }),
);
