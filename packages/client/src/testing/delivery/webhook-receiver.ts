import type { Url } from "../../http.ts";

// Of whichever library declares them, as in globals.ts.
export type RuntimeRequest = typeof globalThis extends { Request: { prototype: infer Known } }
  ? Known
  : { url: string };
export type RuntimeResponse = typeof globalThis extends { Response: { prototype: infer Known } }
  ? Known
  : { status: number };

/** A handler of requests, such as the kit's `webhookHandler(…)` or a Hono app's `fetch`, or the address of a running receiver. */
export type WebhookReceiver =
  | ((request: RuntimeRequest) => RuntimeResponse | PromiseLike<RuntimeResponse>)
  | string
  | Url;

/** What is signed. */
export interface MessageToSign {
  secret: string;
  now: Date;
  /** The bytes that are sent; none of a GET. */
  body: Uint8Array;
  /** The delivery's id, or a fresh one. */
  id: string;
}

/** The company profile, but for the address. */
export interface ReceiverProfile {
  secret: string;
  /** Returns the headers: `signHeaders` of `@offers/webhook-kit/testing`. */
  sign(message: MessageToSign): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /** The base address of a handler; a path prefix is fine. @default "https://integrator.test" */
  baseUrl?: string | undefined;
  /**
   * An outage: while it returns true, each connection is refused. Asked for each request.
   * @default never
   */
  isDown?: (() => boolean) | undefined;
}
