import { bodyTimeoutMs } from "../generated/decisions.ts";
import type { IncomingWebhook, ReceivedBody } from "../http/incoming-request.ts";
import { alreadyConsumed } from "../http/json-body.ts";
import { refuseRequest } from "../http/rejected.ts";
import type { Refusal } from "../observability/outcome.ts";
import type { VerifySettings } from "../options/options.ts";
import { type OpenedClaim, openClaim, type Proof, proveClaim } from "../signature/verify-signature.ts";
import { type Awaitable, after } from "./after.ts";

type BodyBytes = Extract<ReceivedBody, { kind: "bytes" }>;

/** The sender holds the secret; the body is there when the scheme covers it, and else unread. */
export interface CheckedRequest {
  readonly proof: Proof;
  readonly body: BodyBytes | undefined;
}

/**
 * The whole check of one request. Of the body no more is read than the scheme needs.
 *
 * @throws {UnavailableError} when the secret cannot be looked up or the scheme throws
 * @throws {ConfigurationError} `body_already_consumed`
 */
export function checkRequest<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: Pick<IncomingWebhook<Incoming>, "rawHeaders" | "request" | "readBody">,
): Awaitable<CheckedRequest | Refusal> {
  return after(openClaim(settings, incoming.rawHeaders, incoming.request), (opened) => {
    if ("rejection" in opened) return opened;
    if (!settings.scheme.coversBody) return prove(settings, opened, undefined);
    return after(incoming.readBody(settings.maxBodyBytes, bodyTimeoutMs), (received) => {
      if (received.kind === "refused") return refuseRequest(received.reason);
      // What a parser made of the bytes is not what was signed.
      if (received.kind !== "bytes") throw alreadyConsumed();
      return prove(settings, opened, received);
    });
  });
}

const prove = <Incoming>(
  settings: VerifySettings<Incoming>,
  opened: OpenedClaim,
  body: BodyBytes | undefined,
): Awaitable<CheckedRequest | Refusal> =>
  after(proveClaim(settings, opened, body?.bytes), (proof) => ("rejection" in proof ? proof : { proof, body }));
