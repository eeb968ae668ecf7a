import { bodyTimeoutMs } from "../generated/decisions.ts";
import { bodyConsumed } from "../http/body-consumed.ts";
import type { IncomingRequest } from "../http/incoming-request.ts";
import type { VerifySettings } from "../options/settings.ts";
import { parseAndCheckFreshness, type VerifiedRequest, verifySignature } from "../signature/verify-signature.ts";

/**
 * The whole verification of one request. The body is read only if the scheme signs it, and after the headers have passed.
 *
 * @throws {Rejected} (rejects)
 * @throws {UnavailableError} (rejects) when the secret cannot be looked up or the scheme throws
 * @throws {ConfigurationError} (rejects) `body_already_consumed`
 */
export async function verify<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: Pick<IncomingRequest<Incoming>, "rawHeaders" | "request" | "readBody">,
): Promise<VerifiedRequest> {
  const fresh = await parseAndCheckFreshness(settings, incoming.rawHeaders, incoming.request);
  const body = settings.scheme.signsBody ? await readBytes(settings, incoming) : undefined;
  const request = await verifySignature(settings, fresh, body);
  settings.observer.verified(request.verified);
  return request;
}

async function readBytes<Incoming>(
  { maxBodyBytes }: VerifySettings<Incoming>,
  incoming: Pick<IncomingRequest<Incoming>, "readBody">,
): Promise<Uint8Array> {
  const body = await incoming.readBody(maxBodyBytes, bodyTimeoutMs);
  // The value that a parser left is not what was signed.
  if (body.kind === "parsed") throw bodyConsumed();
  return body.bytes;
}
