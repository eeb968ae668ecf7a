import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";
import { type ReceiverCandidate, secret } from "../candidate.ts";
import { signAsDocumented } from "../sign-as-documented.ts";

/** Stores no records, like the peers. */
export const candidate: ReceiverCandidate = {
  label: "**@offers/webhook-kit/express**, no deduplication",
  sign: signAsDocumented,
  receive(handled) {
    const app = express();
    app.use("/hooks", webhookRouter({ secret, deduplication: false, onWorkerOfferResponse: handled }));
    return app;
  },
};
