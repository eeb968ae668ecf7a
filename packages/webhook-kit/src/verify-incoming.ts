import type { Answer } from "./answer.ts";
import { openClaim, proveClaim } from "./check-signature.ts";
import { isWebhookKitError } from "./errors.ts";
import { bodyTimeoutMs } from "./generated/decisions.ts";
import { findDeliveryId } from "./handler-context.ts";
import type { IncomingWebhook } from "./incoming-webhook.ts";
import type { VerifySettings } from "./options.ts";
import { alreadyConsumed } from "./payload.ts";
import { failureAnswer, type Refusal, refuseRequest } from "./refusal.ts";
import type { VerifiedWebhook } from "./verified-webhook.ts";

/** The check alone, without endpoints: what was proven, or the answer to send. Never rejects. */
export async function verifyIncoming<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: Pick<IncomingWebhook<Incoming>, "rawHeaders" | "request" | "readBody">,
): Promise<{ readonly webhook: VerifiedWebhook } | { readonly answer: Answer }> {
  try {
    const outcome = await verify(settings, incoming);
    if (!("rejection" in outcome)) return { webhook: outcome };
    settings.observer.rejected(outcome.rejection);
    return { answer: outcome.answer };
  } catch (error) {
    if (!isWebhookKitError(error)) throw error;
    settings.observer.failed(error);
    return { answer: failureAnswer(error) };
  }
}

async function verify<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: Pick<IncomingWebhook<Incoming>, "rawHeaders" | "request" | "readBody">,
): Promise<VerifiedWebhook | Refusal> {
  const opened = await openClaim(settings, incoming.rawHeaders, incoming.request);
  if ("rejection" in opened) return opened;
  let body: Uint8Array | undefined;
  if (settings.scheme.coversBody) {
    const received = await incoming.readBody(settings.maxBodyBytes, bodyTimeoutMs);
    if (received.kind === "refused") return refuseRequest(received.reason);
    if (received.kind !== "bytes") throw alreadyConsumed();
    body = received.bytes;
  }
  const proof = await proveClaim(settings, opened, body);
  if ("rejection" in proof) return proof;
  const { verified, receivedAt } = proof;
  return { verified, receivedAt, unverifiedDeliveryId: findDeliveryId(incoming.rawHeaders), body };
}
