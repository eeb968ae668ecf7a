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
 * Creates verifiers that each check one 300-byte message, signed now. The first one only computes and compares an HMAC, so no other verifier
 * can be faster.
 */
export async function makeVerifiers(): Promise<Verifier[]> {
  const body = makeEvent(300);
  const bytes = Buffer.from(body);
  const now = new Date();
  const computeHmac = () => createHmac("sha256", secret).update(bytes).digest();
  const expectedHmac = computeHmac();

  const digestScheme = timestampDigest();
  const digestHeaders = Object.entries(digestScheme.sign({ secret, now })).flat();
  const standardScheme = standardWebhooks();
  const standardHeaders = Object.entries(standardScheme.sign({ secret, now, body: bytes, id: "msg_1" })).flat();
  const isAccepted = (scheme: SignatureScheme, rawHeaders: readonly string[]) => {
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
  const createHeaders = (prefix: string, signature: string) => ({
    [`${prefix}-id`]: "msg_1",
    [`${prefix}-timestamp`]: seconds,
    [`${prefix}-signature`]: signature,
  });
  const svixHeaders = createHeaders("svix", svix.sign("msg_1", now, body));
  const standardWebhookHeaders = createHeaders("webhook", standardWebhook.sign("msg_1", now, body));

  return [
    { label: "createHmac + timingSafeEqual", verify: () => timingSafeEqual(computeHmac(), expectedHmac) },
    { label: "**timestampDigest()** read + verify", verify: () => isAccepted(digestScheme, digestHeaders) },
    { label: "**standardWebhooks()** read + verify", verify: () => isAccepted(standardScheme, standardHeaders) },
    {
      label: "**verifyRequest()**, options read each time",
      verify: async () => (await verifyRequest({ secret }, { rawHeaders: digestHeaders })).ok,
    },
    { label: "@octokit/webhooks verify", verify: () => octokit.verify(body, octokitSignature) },
    {
      label: "stripe constructEvent",
      verify: () => stripe.constructEvent(bytes, stripeHeader, secret) !== undefined,
    },
    // svix returns nothing, and throws if the signature is invalid.
    { label: "svix verify", verify: () => svix.verify(bytes, svixHeaders) === undefined },
    {
      label: "standardwebhooks verify",
      verify: () => standardWebhook.verify(bytes, standardWebhookHeaders) !== undefined,
    },
  ];
}
