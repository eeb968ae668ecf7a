import type { RequestListener } from "node:http";

/** A webhook receiver, and how a sender signs requests for it. */
export interface ReceiverCandidate {
  readonly label: string;
  /** Returns the headers that the sender adds: three for every candidate, so that all receivers parse the same number of headers. */
  sign(body: string, id: string): Record<string, string> | Promise<Record<string, string>>;
  /** Creates a request listener for POST {@link webhookPath}, which calls `onHandled` for each event. */
  createListener(onHandled: () => void): RequestListener;
}

export const webhookPath = "/hooks/offer/response";

/** The secret of every candidate. It is base64, which standardwebhooks and svix require. */
export const secret = "c2lkZSBieSBzaWRlIG1lYXN1cmVtZW50cw==";
