import type { IncomingRequest } from "../http/incoming-request.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { VerifySettings } from "../options/settings.ts";
import type { VerifiedWebhook } from "../verified.ts";
import { findDeliveryId } from "./handler-run.ts";
import { toOutcome } from "./to-outcome.ts";
import { verify } from "./verify.ts";

/** Verification without endpoints. Never rejects: every failure has its response. */
export async function verifyIncoming<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: Pick<IncomingRequest<Incoming>, "rawHeaders" | "request" | "readBody">,
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
