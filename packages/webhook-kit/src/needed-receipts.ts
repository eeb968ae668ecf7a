import type { Proof } from "./check-signature.ts";
import type { HandledEndpoint } from "./endpoints/endpoint.ts";
import type { NeededReceipt } from "./handle-once.ts";
import type { IncomingWebhook, ReceivedBody } from "./incoming-webhook.ts";
import type { ReceiverSettings } from "./options.ts";
import { keepMs, requestKey, signatureKey, subjectKey } from "./receipt-key.ts";
import { refuseSignature } from "./refusal.ts";

/** The receipt of an event: an identical one is a repeat, unless another about the same came since (D-45, D-57). */
export function eventReceipt(
  proof: Proof,
  incoming: Pick<IncomingWebhook<unknown>, "method" | "target">,
  { name, subjectOf }: HandledEndpoint,
  input: unknown,
  body: ReceivedBody | undefined,
): NeededReceipt {
  const subject = subjectOf && subjectKey(proof, name, subjectOf(input));
  return { key: requestKey(proof, incoming, body), subject };
}

/** What a request must hold before its handler starts: an event its own receipt, and under `replay: "bind"` its signature. */
export function neededReceipts<Incoming>(
  { replay, scheme, toleranceMs }: ReceiverSettings<Incoming>,
  proof: Proof,
  event?: NeededReceipt,
): { readonly needed: readonly NeededReceipt[]; readonly keepMs: number } {
  const needed = event ? [event] : [];
  if (replay === "bind")
    needed.push({ key: signatureKey(proof), refuseTaken: () => refuseSignature(reused, scheme.challenge) });
  return { needed, keepMs: keepMs(proof, toleranceMs) };
}

/** A signature is then good for one request, whatever it asks (D-58). */
const reused = {
  reason: "signature_reused",
  message: "The signature came with another request before; does the service sign several within one minute?",
} as const;
