import { bodyConsumed } from "../http/body-consumed.ts";
import { rejectRequest } from "../http/rejected.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { VerifyOptions } from "../options/options.ts";
import { readVerifyOptions } from "../options/settings.ts";
import type { VerifiedWebhook } from "../verified.ts";
import { verifyIncoming } from "./verify.ts";

/**
 * A request reduced to what is verified.
 *
 * @example
 * ```ts
 * import type { IncomingMessage } from "node:http";
 * import type { WebhookRequest } from "@offers/webhook-kit";
 *
 * export const reduce = ({ rawHeaders }: IncomingMessage, body: Uint8Array): WebhookRequest => ({ rawHeaders, body });
 * ```
 */
export interface WebhookRequest {
  /** Node's flat list: name, value, name, value. Not Node's `headers`, which hides a second `Authorization`. */
  readonly rawHeaders: readonly string[];
  /** The bytes as received; needed only under a scheme that covers the body. */
  readonly body?: Uint8Array;
}

/**
 * Verification only, for any framework. A rejected request is a value, with the 401 (or 503) to respond with; the reason goes
 * to `onRejected`.
 *
 * @throws {ConfigurationError} (rejects) for an invalid option
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
  { readonly ok: true; readonly webhook: VerifiedWebhook } | { readonly ok: false; readonly response: WebhookResponse }
> {
  const { rawHeaders, body } = request;
  const outcome = await verifyIncoming(readVerifyOptions(options), {
    rawHeaders,
    request,
    readBody: async (maxBytes) => {
      if (!body) throw bodyConsumed();
      if (body.length > maxBytes) throw rejectRequest("body_too_large");
      return { kind: "bytes", bytes: body };
    },
  });
  return "webhook" in outcome ? { ok: true, webhook: outcome.webhook } : { ok: false, response: outcome.response };
}
