import { createHash } from "node:crypto";
import type { Proof } from "./check-signature.ts";
import type { IncomingWebhook, ReceivedBody } from "./incoming-webhook.ts";
import type { VerifySettings } from "./options.ts";

/**
 * What makes two requests the same. A scheme that covers only the time gives different events of one minute the same
 * signature, so everything else about the request counts as well (D-45); a scheme with a signed id needs no more than that.
 */
export function receiptKey<Incoming>(
  settings: VerifySettings<Incoming>,
  incoming: IncomingWebhook<Incoming>,
  proof: Proof,
  body: ReceivedBody | undefined,
): string {
  const { claim, secrets, verified } = proof;
  // Tenants are told apart by their secret: nothing else about a tenant is covered by a signature.
  const tenant = settings.hasTenants ? sha256(secrets[verified.secretIndex] ?? "") : "";
  const message =
    claim.id === undefined
      ? ["signature", Buffer.from(claim.signature).toString("hex"), incoming.method, incoming.target, hashBody(body)]
      : ["id", claim.id];
  return sha256(JSON.stringify([tenant, verified.scheme, ...message]));
}

function hashBody(body: ReceivedBody | undefined): string {
  if (body?.kind === "bytes") return sha256(body.bytes);
  // Only to tell one from another: the same bytes were parsed to the same value.
  return body?.kind === "parsed" ? sha256(JSON.stringify(body.value) ?? "") : "";
}

const sha256 = (data: string | Uint8Array): string => createHash("sha256").update(data).digest("hex");

const idKeepMs = 72 * 60 * 60 * 1000;

/** As long as the same headers could pass the check again; with a signed id, as long as a sender may retry. */
export const keepMs = ({ claim }: Proof, toleranceMs: number): number =>
  claim.id === undefined ? 2 * toleranceMs + claim.signedAt.latest - claim.signedAt.earliest : idKeepMs;
