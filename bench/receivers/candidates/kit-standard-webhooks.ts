import { standardWebhooks } from "@offers/webhook-kit";
import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";
import { type ReceiverCandidate, secret } from "../candidate.ts";

const scheme = standardWebhooks();

export const candidate: ReceiverCandidate = {
  label: "**@offers/webhook-kit/express**, standardWebhooks(), deduplication in memory",
  sign: (body, id) => scheme.sign({ secret, now: new Date(), body: Buffer.from(body), id }),
  createListener(onHandled) {
    const app = express();
    app.use("/hooks", webhookRouter({ secret, scheme, onWorkerOfferResponse: onHandled }));
    return app;
  },
};
