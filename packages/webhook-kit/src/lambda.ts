/**
 * `@offers/webhook-kit/lambda`: the receiver as a function of AWS Lambda.
 *
 * @module lambda
 */
import { readBasePath, type StripBasePath } from "./http/base-path.ts";
import type { IncomingRequest } from "./http/incoming-request.ts";
import { bodyOf, type LambdaEvent, type LambdaResult, methodOf, pathOf, rawHeadersOf } from "./http/lambda-event.ts";
import { rejectRequest } from "./http/rejected.ts";
import type { ReceiverOptions } from "./options/options.ts";
import { readReceiverOptions } from "./options/settings.ts";
import { receive } from "./receive/receive.ts";
import { rejectUnknownPath } from "./receive/unknown-path.ts";

/**
 * Every webhook endpoint, behind an HTTP API or a function URL (payload 2.0), a REST API (1.0) or a load balancer; bodies may be
 * in base64. The returned promise never rejects.
 *
 * @param options.basePath where the receiver is mounted, such as `/offers`; it begins with the stage of an HTTP API, unless that is
 *   `$default`. Default `/`
 * @throws {ConfigurationError} at once, for an invalid secret or option
 *
 * @example
 * ```ts
 * import { webhookFunction } from "@offers/webhook-kit/lambda";
 *
 * export const handler = webhookFunction({
 *   basePath: "/offers",
 *   secret: process.env.WEBHOOK_SECRET ?? "",
 *   onWorkerOfferResponse: ({ offerId, workerId, response }) => console.log(offerId, workerId, response),
 * });
 * ```
 */
export function webhookFunction<Event extends LambdaEvent = LambdaEvent>(
  options: ReceiverOptions<Event> & { basePath?: string },
): (event: Event) => Promise<LambdaResult> {
  const settings = readReceiverOptions<Event>(options);
  const stripBasePath = readBasePath(options.basePath ?? "/");
  return async (event) => {
    const incoming = toIncomingRequest(event, stripBasePath);
    const { status, headers, body } = (await receive(settings, incoming)) ?? rejectUnknownPath(settings.observer);
    const lists = Object.entries(headers).map(([name, value]) => [name, [value]]);
    return {
      statusCode: status,
      body: incoming.method === "HEAD" ? "" : body,
      isBase64Encoded: false,
      // A gateway that sends lists reads lists only.
      ...(event.multiValueHeaders ? { multiValueHeaders: Object.fromEntries(lists) } : { headers: { ...headers } }),
    };
  };
}

function toIncomingRequest<Event extends LambdaEvent>(
  event: Event,
  stripBasePath: StripBasePath,
): IncomingRequest<Event> {
  const path = pathOf(event);
  return {
    method: methodOf(event),
    path: stripBasePath(path),
    target: path,
    rawHeaders: rawHeadersOf(event),
    request: event,
    async readBody(maxBytes) {
      const bytes = bodyOf(event);
      if (bytes.length > maxBytes) throw rejectRequest("body_too_large");
      return { kind: "bytes", bytes };
    },
  };
}
