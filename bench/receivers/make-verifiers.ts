import { createHmac, timingSafeEqual } from "node:crypto";
import { Webhooks } from "@octokit/webhooks";
import { type SignatureScheme, standardWebhooks, timestampDigest, verifyRequest } from "@offers/webhook-kit";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";
import { secret } from "./candidate.ts";
import { makeEvent } from "./event.ts";
import type { Verifier } from "./verifier.ts";

/**
 * Every verifier checks one message of 300 bytes, signed now. The first is the lower bound: it compares the signature
 * and checks nothing else.
 */
export async function makeVerifiers(): Promise<Verifier[]> {
  const body = makeEvent(300);
  const bytes = Buffer.from(body);
  const now = new Date();
  const hmac = () => createHmac("sha256", secret).update(bytes).digest();
  const known = hmac();

  const documented = timestampDigest();
  const documentedHeaders = Object.entries(documented.sign({ secret, now })).flat();
  const standard = standardWebhooks();
  const standardHeaders = Object.entries(standard.sign({ secret, now, body: bytes, id: "msg_1" })).flat();
  const check = (scheme: SignatureScheme, rawHeaders: readonly string[]) => {
    const parsed = scheme.parse(rawHeaders);
    return !("code" in parsed) && scheme.verify(parsed, [secret], bytes) !== undefined;
  };

  const octokit = new Webhooks({ secret });
  const octokitSignature = await octokit.sign(body);
  const { webhooks: stripe } = Stripe;
  const stripeHeader = stripe.generateTestHeaderString({ payload: body, secret });
  const svix = new SvixWebhook(secret);
  const standardWebhook = new StandardWebhook(secret);
  const seconds = String(Math.floor(now.getTime() / 1000));
  const messageHeaders = (prefix: string, signature: string) => ({
    [`${prefix}-id`]: "msg_1",
    [`${prefix}-timestamp`]: seconds,
    [`${prefix}-signature`]: signature,
  });
  const svixHeaders = messageHeaders("svix", svix.sign("msg_1", now, body));
  const standardWebhookHeaders = messageHeaders("webhook", standardWebhook.sign("msg_1", now, body));

  return [
    { label: "createHmac + timingSafeEqual", verify: () => timingSafeEqual(hmac(), known) },
    { label: "**timestampDigest()** read + verify", verify: () => check(documented, documentedHeaders) },
    { label: "**standardWebhooks()** read + verify", verify: () => check(standard, standardHeaders) },
    {
      label: "**verifyRequest()**, options read each time",
      verify: async () => (await verifyRequest({ secret }, { rawHeaders: documentedHeaders })).ok,
    },
    { label: "@octokit/webhooks verify", verify: () => octokit.verify(body, octokitSignature) },
    {
      label: "stripe constructEvent",
      verify: () => stripe.constructEvent(bytes, stripeHeader, secret) !== undefined,
    },
    // Throws unless the signature is valid.
    { label: "svix verify", verify: () => svix.verify(bytes, svixHeaders) === undefined },
    {
      label: "standardwebhooks verify",
      verify: () => standardWebhook.verify(bytes, standardWebhookHeaders) !== undefined,
    },
  ];
}
