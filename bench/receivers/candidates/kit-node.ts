import { webhookListener } from "@offers/webhook-kit/node";
import { type Candidate, secret } from "../candidate.ts";
import { signAsDocumented } from "../sign-as-documented.ts";

export const candidate: Candidate = {
  label: "**@offers/webhook-kit/node**, memory receipts, without Express",
  sign: signAsDocumented,
  receive: (handled) => webhookListener({ basePath: "/hooks", secret, onWorkerOfferResponse: handled }),
};
