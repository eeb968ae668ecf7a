import type { IncomingWebhook } from "../http/incoming-request.ts";
import { failureAnswer } from "../http/rejected.ts";
import type { Answer } from "../http/response.ts";
import type { VerifySettings } from "../options/options.ts";
import type { VerifiedWebhook } from "../verified-webhook.ts";
import { checkRequest } from "./check-request.ts";
import { findDeliveryId } from "./handler-run.ts";
import { asOwnError } from "./wrap-error.ts";

/** The check alone, without endpoints: what was proven, or the answer to send. Never rejects: every fault has its answer. */
export async function verifyIncoming<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: Pick<IncomingWebhook<Incoming>, "rawHeaders" | "request" | "readBody">,
): Promise<{ readonly webhook: VerifiedWebhook } | { readonly answer: Answer }> {
  try {
    const checked = await checkRequest(settings, incoming);
    if ("rejection" in checked) {
      settings.observer.rejected(checked.rejection);
      return { answer: checked.answer };
    }
    const { verified, receivedAt } = checked.proof;
    const unverifiedDeliveryId = findDeliveryId(incoming.rawHeaders);
    return { webhook: { verified, receivedAt, unverifiedDeliveryId, body: checked.body?.bytes } };
  } catch (cause) {
    const error = asOwnError(cause);
    settings.observer.failed(error);
    return { answer: failureAnswer(error) };
  }
}
