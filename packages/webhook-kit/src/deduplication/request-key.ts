import type { IncomingWebhook, ReceivedBody } from "../http/incoming-request.ts";
import { sha256 } from "../signature/sha256.ts";
import type { Proof } from "../signature/verify-signature.ts";

/** What an event is known by to a receipts store; hashes, all of it. */
export interface EventKeys {
  readonly key: string;
  readonly subject: string | undefined;
}

/**
 * What makes two events the same. A scheme that covers only the time gives different events of one minute the same signature,
 * so everything else about the request counts as well (D-45); a scheme with a signed id needs no more.
 *
 * @param subject what different events of one signature may be about (D-57)
 */
export function eventKeys(
  proof: Proof,
  { method, target }: Pick<IncomingWebhook<unknown>, "method" | "target">,
  body: ReceivedBody | undefined,
  subject: readonly string[] | undefined,
): EventKeys {
  const { id } = proof.claim;
  if (id !== undefined) return { key: sha256(describe(proof, "id", [id])), subject: undefined };
  const place = sha256(describe(proof, "event", [signatureOf(proof), method, target, ...(subject ?? [])]));
  return { key: place + hashBody(body), subject: subject && place };
}

/**
 * The signature alone, whatever it came with (D-58). With a signed id it is told by what it signs: to a list of signatures
 * anybody may add one that is not good, but nobody can change the id or the time.
 */
export function signatureKey(proof: Proof): string {
  const { id, signedAt } = proof.claim;
  const parts = id === undefined ? [signatureOf(proof)] : [id, String(signedAt.earliest)];
  return sha256(describe(proof, "signature", parts));
}

const describe = ({ tenant, verified }: Proof, kind: string, parts: readonly string[]): string =>
  JSON.stringify([tenant, verified.scheme, kind, parts]);

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
