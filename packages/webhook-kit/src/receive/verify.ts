import { bodyTimeoutMs } from "../generated/decisions.ts";
import { bodyConsumed } from "../http/body-consumed.ts";
import { findDeliveryId } from "../http/headers.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { VerifySettings } from "../options/settings.ts";
import { type VerifiedRequest, verifySignature } from "../signature/verify-signature.ts";
import type { VerifiedWebhook } from "../verified.ts";
import { toOutcome } from "./to-outcome.ts";

/** As much of a request as is verified. */
type SignedRequest<Incoming> = Pick<IncomingRequest<Incoming>, "rawHeaders" | "request" | "readBody">;

/**
 * Verifies one request and reports it. Rejects as {@link verifySignature} does.
 *
 * @throws {ConfigurationError} (rejects) `body_already_consumed`
 */
export async function verify<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: SignedRequest<Incoming>,
): Promise<VerifiedRequest> {
  const readBytes = async () => {
    const body = await incoming.readBody(settings.maxBodyBytes, bodyTimeoutMs);
    // The value that a parser left is not what was signed.
    if (body.kind === "parsed") throw bodyConsumed();
    return body.bytes;
  };
  const request = await verifySignature(settings, incoming, readBytes);
  settings.observer.verified(request.verified);
  return request;
}

/** Verification without endpoints. Never rejects: every failure has its response. */
export async function verifyIncoming<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: SignedRequest<Incoming>,
): Promise<{ readonly webhook: VerifiedWebhook } | { readonly response: WebhookResponse }> {
  try {
    const { verified, receivedAt, body } = await verify(settings, incoming);
    const unverifiedDeliveryId = findDeliveryId(incoming.rawHeaders);
    return { webhook: { verified, receivedAt, unverifiedDeliveryId, body } };
  } catch (cause) {
    const outcome = toOutcome(cause);
    if ("rejection" in outcome) settings.observer.rejected(outcome.rejection);
    else settings.observer.failed(outcome.error);
    return { response: outcome.response };
  }
}
