import type { WebhookResponse } from "../http/response.ts";

/** In the order in which they are sent; a name may come twice. */
export type HeaderList = readonly (readonly [name: string, value: string])[];

/** A request as it goes to the receiver under test. */
export interface OutgoingRequest {
  readonly method: string;
  /** The prefix of the base address included. */
  readonly path: string;
  readonly headers: HeaderList;
  readonly body?: Uint8Array;
}

/** Sends requests to a receiver under test. */
export interface Transport {
  /** Rejects when there is no complete response in time. */
  send(request: OutgoingRequest): Promise<WebhookResponse>;
  close(): Promise<void>;
}
