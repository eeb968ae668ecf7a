import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";
import { type ReceiverCandidate, secret } from "../candidate.ts";
import { signAsDocumented } from "../sign-as-documented.ts";

export const candidate: ReceiverCandidate = {
  label: "**@offers/webhook-kit/express**, deduplication in memory",
  sign: signAsDocumented,
  createListener(onHandled) {
    const app = express();
    app.use("/hooks", webhookRouter({ secret, onWorkerOfferResponse: onHandled }));
    return app;
  },
};
