import type { HandledEndpoint } from "../endpoints/endpoint.ts";
import type { IncomingWebhook, ReceivedBody } from "../http/incoming-request.ts";
import { refuseSignature } from "../http/rejected.ts";
import type { Outcome } from "../observability/outcome.ts";
import type { ReceiverSettings } from "../options/options.ts";
import type { Proof } from "../signature/verify-signature.ts";
import { eventKeys, keepMs, signatureKey } from "./request-key.ts";

/** What a request is, beyond what its signature proves. */
interface Handled {
  readonly incoming: Pick<IncomingWebhook<unknown>, "method" | "target">;
  readonly endpoint: HandledEndpoint;
  readonly input: unknown;
  readonly body: ReceivedBody | undefined;
}

/** A receipt without which a handler may not start. */
export interface NeededReceipt {
  readonly key: string;
  readonly subject?: string | undefined;
  /** What the request is answered when another one has it; left out, the answer of a repeat (D-45). */
  readonly refuseTaken?: () => Outcome;
}

/** What a request must hold before its handler starts. */
export interface NeededReceipts {
  readonly needed: readonly NeededReceipt[];
  /** How long they are kept once the handler has ended well. */
  readonly keepMs: number;
}

const none: NeededReceipts = { needed: [], keepMs: 0 };

/** An event needs a receipt of its own, and under `replay: "bind"` every request one of its signature. */
export function neededReceipts<Incoming>(
  { receipts, replay, scheme, toleranceMs }: ReceiverSettings<Incoming>,
  proof: Proof,
  handled?: Handled,
): NeededReceipts {
  if (!receipts) return none;
  const needed: NeededReceipt[] = [];
  if (handled?.endpoint.kind === "event") {
    const { incoming, endpoint, input, body } = handled;
    // An identical event is a repeat, unless another about the same came since (D-45, D-57).
    needed.push(eventKeys(proof, incoming, body, endpoint.subjectOf?.(input)));
  }
  if (replay === "bind")
    needed.push({ key: signatureKey(proof), refuseTaken: () => refuseSignature(reused, scheme.challenge) });
  return { needed, keepMs: keepMs(proof, toleranceMs) };
}

/** A signature is then good for one request, whatever it asks (D-58). */
const reused = {
  reason: "signature_reused",
  message: "The signature came with another request before; does the service sign several within one minute?",
} as const;
