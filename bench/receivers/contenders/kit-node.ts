import { webhookListener } from "@offers/webhook-kit/node";
import { type Contender, secret } from "../contender.ts";
import { signAsDocumented } from "../sign-as-documented.ts";

export const contender: Contender = {
  label: "**@offers/webhook-kit/node**, deduplication in memory, without Express",
  sign: signAsDocumented,
  receive: (handled) => webhookListener({ basePath: "/hooks", secret, onWorkerOfferResponse: handled }),
};
