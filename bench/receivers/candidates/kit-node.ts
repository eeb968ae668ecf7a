import { webhookListener } from "@offers/webhook-kit/node";
import { type ReceiverCandidate, secret } from "../candidate.ts";
import { signAsDocumented } from "../sign-as-documented.ts";

export const candidate: ReceiverCandidate = {
  label: "**@offers/webhook-kit/node**, deduplication in memory, without Express",
  sign: signAsDocumented,
  createListener: (onHandled) => webhookListener({ basePath: "/hooks", secret, onWorkerOfferResponse: onHandled }),
};
