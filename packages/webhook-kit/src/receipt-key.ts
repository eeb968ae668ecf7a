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
  const { method, target } = incoming;
  return sha256(describe(proof, "request", signatureOf(proof), method, target) + textOf(body));
}

/** What different events of one signature may be about (D-57). With a signed id no two events are alike. */
export function subjectKey(proof: Proof, endpoint: string, subject: readonly string[]): string | undefined {
  if (proof.claim.id !== undefined) return undefined;
  return sha256(describe(proof, "subject", signatureOf(proof), endpoint, ...subject));
}

/** The signature alone, whatever it came with (D-58). */
export const signatureKey = (proof: Proof): string => sha256(describe(proof, "signature", signatureOf(proof)));

/** JSON says where each part ends, and where a body begins that is put behind it. */
const describe = ({ tenant, verified }: Proof, ...parts: readonly string[]): string =>
  JSON.stringify([tenant, verified.scheme, ...parts]);

const signatureOf = ({ claim }: Proof): string => asBuffer(claim.signature).toString("hex");

function textOf(body: ReceivedBody | undefined): string {
  // One character for each byte, whatever its encoding.
  if (body?.kind === "bytes") return asBuffer(body.bytes).toString("latin1");
  // Only to tell one from another: the same bytes were parsed to the same value.
  return body?.kind === "parsed" ? JSON.stringify(body.value) : "";
}

const asBuffer = (bytes: Uint8Array): Buffer =>
  Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

const idKeepMs = 72 * 60 * 60 * 1000;

/** As long as the same headers could pass the check again; with a signed id, as long as a sender may retry. */
export const keepMs = ({ claim }: Proof, toleranceMs: number): number =>
  claim.id === undefined ? 2 * toleranceMs + claim.signedAt.latest - claim.signedAt.earliest : idKeepMs;
