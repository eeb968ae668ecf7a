import type { Proof } from "./check-signature.ts";
import type { IncomingWebhook, ReceivedBody } from "./incoming-webhook.ts";
import { sha256 } from "./sha256.ts";

/** A hash that names something to a receipts store; the store learns nothing else of a request. */
type Key = string;

/**
 * What makes two requests the same. A scheme that covers only the time gives different events of one minute the same
 * signature, so everything else about the request counts as well (D-45); a scheme with a signed id needs no more than that.
 */
export function requestKey(
  proof: Proof,
  incoming: Pick<IncomingWebhook<unknown>, "method" | "target">,
  body: ReceivedBody | undefined,
): Key {
  const { id } = proof.claim;
  if (id !== undefined) return keyOf(proof, "id", id);
  return keyOf(proof, "request", signatureOf(proof), incoming.method, incoming.target, hashBody(body));
}

/** What different events of one signature may be about (D-57). With a signed id no two events are alike. */
export function subjectKey(proof: Proof, endpoint: string, subject: readonly string[]): Key | undefined {
  if (proof.claim.id !== undefined) return undefined;
  return keyOf(proof, "subject", signatureOf(proof), endpoint, ...subject);
}

/** The signature alone, whatever it came with (D-58). */
export const signatureKey = (proof: Proof): Key => keyOf(proof, "signature", signatureOf(proof));

function keyOf({ tenant, verified }: Proof, ...parts: readonly string[]): Key {
  return sha256(JSON.stringify([tenant, verified.scheme, parts]));
}

const signatureOf = ({ claim }: Proof): string =>
  Buffer.from(claim.signature.buffer, claim.signature.byteOffset, claim.signature.length).toString("hex");

function hashBody(body: ReceivedBody | undefined): string {
  if (body?.kind === "bytes") return sha256(body.bytes);
  // Only to tell one from another: the same bytes were parsed to the same value.
  return body?.kind === "parsed" ? sha256(JSON.stringify(body.value) ?? "") : "";
}

const idKeepMs = 72 * 60 * 60 * 1000;

/** As long as the same headers could pass the check again; with a signed id, as long as a sender may retry. */
export const keepMs = ({ claim }: Proof, toleranceMs: number): number =>
  claim.id === undefined ? 2 * toleranceMs + claim.signedAt.latest - claim.signedAt.earliest : idKeepMs;
