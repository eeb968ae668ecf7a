import type { Proof } from "./check-signature.ts";
import type { IncomingWebhook, ReceivedBody } from "./incoming-webhook.ts";
import { sha256 } from "./sha256.ts";

/**
 * What makes two requests the same, as a hash. A scheme that covers only the time gives different events of one minute the
 * same signature, so everything else about the request counts as well (D-45); a scheme with a signed id needs no more.
 */
export function requestKey(
  proof: Proof,
  incoming: Pick<IncomingWebhook<unknown>, "method" | "target">,
  body: ReceivedBody | undefined,
): string {
  const { id } = proof.claim;
  if (id !== undefined) return sha256(describe(proof, "id", id));
  return sha256(describe(proof, "request", signatureOf(proof), incoming.method, incoming.target, hashBody(body)));
}

/** What different events of one signature may be about (D-57). With a signed id no two events are alike. */
export function subjectKey(proof: Proof, endpoint: string, subject: readonly string[]): string | undefined {
  if (proof.claim.id !== undefined) return undefined;
  return sha256(describe(proof, "subject", signatureOf(proof), endpoint, ...subject));
}

/** The signature alone, whatever it came with (D-58). */
export const signatureKey = (proof: Proof): string => sha256(describe(proof, "signature", signatureOf(proof)));

const describe = ({ tenant, verified }: Proof, ...parts: readonly string[]): string =>
  JSON.stringify([tenant, verified.scheme, ...parts]);

function signatureOf({ claim: { signature } }: Proof): string {
  const bytes = Buffer.isBuffer(signature) ? signature : Buffer.from(signature);
  return bytes.toString("hex");
}

function hashBody(body: ReceivedBody | undefined): string {
  if (body?.kind === "bytes") return sha256(body.bytes);
  // Only to tell one from another: the same bytes were parsed to the same value.
  return body?.kind === "parsed" ? sha256(JSON.stringify(body.value)) : "";
}

const idKeepMs = 72 * 60 * 60 * 1000;

/** As long as the same headers could pass the check again; with a signed id, as long as a sender may retry. */
export const keepMs = ({ claim }: Proof, toleranceMs: number): number =>
  claim.id === undefined ? 2 * toleranceMs + claim.signedAt.latest - claim.signedAt.earliest : idKeepMs;
