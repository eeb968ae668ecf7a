import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";
import { type Contender, secret } from "../contender.ts";
import { signAsDocumented } from "../sign-as-documented.ts";

export const contender: Contender = {
  label: "**@offers/webhook-kit/express**, deduplication in memory",
  sign: signAsDocumented,
  receive(handled) {
    const app = express();
    app.use("/hooks", webhookRouter({ secret, onWorkerOfferResponse: handled }));
    return app;
  },
};
