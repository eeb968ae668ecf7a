import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";
import { type ReceiverCandidate, secret } from "../candidate.ts";
import { signAsDocumented } from "../sign-as-documented.ts";

/** Like the other libraries, this candidate does not record which events it has handled. */
export const candidate: ReceiverCandidate = {
  label: "**@offers/webhook-kit/express**, no deduplication",
  sign: signAsDocumented,
  createListener(onHandled) {
    const app = express();
    app.use("/hooks", webhookRouter({ secret, deduplication: false, onWorkerOfferResponse: onHandled }));
    return app;
  },
};
