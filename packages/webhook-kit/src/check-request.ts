import { openClaim, type Proof, proveClaim } from "./check-signature.ts";
import { bodyTimeoutMs } from "./generated/decisions.ts";
import type { IncomingWebhook, ReceivedBody } from "./incoming-webhook.ts";
import type { VerifySettings } from "./options.ts";
import { alreadyConsumed } from "./payload.ts";
import { type Refusal, refuseRequest } from "./refusal.ts";

/** The sender holds the secret; the body is there when the scheme covers it, and else unread. */
export interface CheckedRequest {
  readonly proof: Proof;
  readonly body: Extract<ReceivedBody, { kind: "bytes" }> | undefined;
}

/**
 * The whole check of one request. Of the body no more is read than the scheme needs.
 *
 * @throws {UnavailableError} when the secret cannot be looked up or the scheme throws
 * @throws {ConfigurationError} `body_already_consumed`
 */
export async function checkRequest<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: Pick<IncomingWebhook<Incoming>, "rawHeaders" | "request" | "readBody">,
): Promise<CheckedRequest | Refusal> {
  const opened = await openClaim(settings, incoming.rawHeaders, incoming.request);
  if ("rejection" in opened) return opened;
  let body: CheckedRequest["body"];
  if (settings.scheme.coversBody) {
    const received = await incoming.readBody(settings.maxBodyBytes, bodyTimeoutMs);
    if (received.kind === "refused") return refuseRequest(received.reason);
    // What a parser made of the bytes is not what was signed.
    if (received.kind !== "bytes") throw alreadyConsumed();
    body = received;
  }
  const proof = await proveClaim(settings, opened, body?.bytes);
  return "rejection" in proof ? proof : { proof, body };
}
