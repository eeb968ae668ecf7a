import type { RequestListener } from "node:http";

/** A receiver of webhooks, and the sender that it expects. */
export interface ReceiverCandidate {
  readonly label: string;
  /** The headers that the sender adds to a request: three for every candidate, so that all parse as many. */
  sign(body: string, id: string): Record<string, string> | Promise<Record<string, string>>;
  /** A server for POST {@link webhookPath}; `handled` is what its user does with an event. */
  receive(handled: () => void): RequestListener;
}

export const webhookPath = "/hooks/offer/response";

/** The same length for every candidate; standardwebhooks and svix need theirs in base64. */
export const secret = "c2lkZSBieSBzaWRlIG1lYXN1cmVtZW50cw==";
