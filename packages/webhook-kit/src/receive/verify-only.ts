import { ConfigurationError } from "../errors/errors.ts";
import { createBodyConsumedError, wrapBytes } from "../http/body.ts";
import { findDeliveryId } from "../http/request.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { VerifyOptions } from "../options/options.ts";
import { type SignedRequest, type Verified, verifySignature } from "../signature/verify-signature.ts";
import { toOutcome } from "./outcome.ts";
import { readVerifyOptions, type VerifySettings } from "./settings.ts";

/**
 * A verified request, whose sender has the secret. `verifyWebhook` sets it on the request, and `verifyRequest` returns it.
 *
 * @example
 * ```ts
 * import type { VerifiedWebhook } from "@offers/webhook-kit";
 *
 * export const labelOf = ({ verified, unverifiedDeliveryId }: VerifiedWebhook): string =>
 *   `${unverifiedDeliveryId ?? "without id"}, secret ${verified.secretIndex}`;
 * ```
 */
export interface VerifiedWebhook {
  /** How the signature was verified. */
  readonly verified: Verified;
  /** The `Offers-Delivery-Id` header, which the signature does not cover. */
  readonly unverifiedDeliveryId: string | undefined;
  /** When the request was verified. */
  readonly receivedAt: Date;
  /** The signed bytes; undefined unless the scheme signs the body. */
  readonly body: Uint8Array | undefined;
}

/** Verifies one request without handling it. Never rejects: every failure becomes a response. */
export async function verifyOnly<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: SignedRequest<Incoming>,
): Promise<{ readonly webhook: VerifiedWebhook } | { readonly response: WebhookResponse }> {
  const { observer } = settings;
  try {
    const { verified, receivedAt, body } = await verifySignature(settings, incoming);
    observer.reportVerified(verified);
    const unverifiedDeliveryId = findDeliveryId(incoming.rawHeaders);
    return { webhook: { verified, receivedAt, unverifiedDeliveryId, body } };
  } catch (cause) {
    const outcome = toOutcome(cause);
    if ("rejection" in outcome) observer.reportRejection(outcome.rejection);
    else observer.reportFailure(outcome.error);
    return { response: outcome.response };
  }
}

/**
 * The part of a request that is verified.
 *
 * @example
 * ```ts
 * import type { IncomingMessage } from "node:http";
 * import type { WebhookRequest } from "@offers/webhook-kit";
 *
 * export const toWebhookRequest = ({ rawHeaders }: IncomingMessage, body: Uint8Array): WebhookRequest => ({ rawHeaders, body });
 * ```
 */
export interface WebhookRequest {
  /** Node's flat list: name, value, name, value. Not Node's `headers`, which hides a second `Authorization`. */
  readonly rawHeaders: readonly string[];
  /** The bytes as received; needed only if the scheme signs the body. */
  readonly body?: Uint8Array | undefined;
}

/**
 * Verifies a request without handling it, for any framework. If verification fails, it returns the response to send, such as 401 or 503,
 * and `onRejected` or `onError` receives the reason.
 *
 * @throws {ConfigurationError} (rejects) for an invalid option, and `wrong_request_type`
 *
 * @example
 * ```ts
 * import { createServer } from "node:http";
 * import { verifyRequest } from "@offers/webhook-kit";
 *
 * createServer(async (request, response) => {
 *   const options = { secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52" };
 *   const verification = await verifyRequest(options, { rawHeaders: request.rawHeaders });
 *   if (verification.ok) response.end("hello, service");
 *   else {
 *     const { status, headers, body } = verification.response;
 *     response.writeHead(status, headers).end(body);
 *   }
 * });
 * ```
 */
export async function verifyRequest(
  options: VerifyOptions<WebhookRequest>,
  request: WebhookRequest,
): Promise<
  | {
      /** True if the request was verified. */
      readonly ok: true;
      /** The verified request. */
      readonly webhook: VerifiedWebhook;
    }
  | {
      /** False if the request was not verified. */
      readonly ok: false;
      /** The response to send. */
      readonly response: WebhookResponse;
    }
> {
  const settings = readVerifyOptions(options);
  const { rawHeaders, body }: WebhookRequest = Object(request);
  if (!Array.isArray(rawHeaders))
    throw new ConfigurationError(
      "wrong_request_type",
      "verifyRequest expects { rawHeaders } in node:http's format: [name, value, name, value, …]. For a fetch Request, pass [...request.headers].flat().",
    );
  const outcome = await verifyOnly(settings, {
    rawHeaders,
    request,
    readBody: async (maxBytes) => {
      if (!body) throw createBodyConsumedError();
      return wrapBytes(body, maxBytes);
    },
  });
  return "webhook" in outcome ? { ok: true, webhook: outcome.webhook } : { ok: false, response: outcome.response };
}
