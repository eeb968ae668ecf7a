import { webhookListener } from "@offers/webhook-kit/node";
import { type Candidate, secret } from "../candidate.ts";
import { signAsDocumented } from "../sign-as-documented.ts";

export const candidate: Candidate = {
  label: "**@offers/webhook-kit/node**, deduplication in memory, without Express",
  sign: signAsDocumented,
  receive: (handled) => webhookListener({ basePath: "/hooks", secret, onWorkerOfferResponse: handled }),
};
