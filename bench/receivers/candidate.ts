import type { RequestListener } from "node:http";

/** A webhook receiver, and how a sender signs requests for it. */
export interface ReceiverCandidate {
  readonly label: string;
  /** Returns the headers that the sender adds: three for every candidate, so that all parse equally many. */
  sign(body: string, id: string): Record<string, string> | Promise<Record<string, string>>;
  /** Creates a request listener for POST {@link webhookPath}, which calls `handled` for each event. */
  createListener(handled: () => void): RequestListener;
}

export const webhookPath = "/hooks/offer/response";

/** The same length for every candidate; standardwebhooks and svix need theirs in base64. */
export const secret = "c2lkZSBieSBzaWRlIG1lYXN1cmVtZW50cw==";
