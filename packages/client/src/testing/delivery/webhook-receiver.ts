import type { FastifyApp, HttpServer } from "@offers/contract/open-receiver";
import type { Url } from "../../http.ts";

// Inferred from the global scope, as in http.ts.
export type RuntimeRequest = typeof globalThis extends { Request: { prototype: infer Instance } }
  ? Instance
  : { url: string };
export type RuntimeResponse = typeof globalThis extends { Response: { prototype: infer Instance } }
  ? Instance
  : { status: number };

/**
 * A webhook receiver: a function from `Request` to `Response`, such as the kit's `webhookHandler(…)`; an object whose `fetch` is such a
 * function, such as a Hono app; a `node:http` server or a Fastify app, which is started on a free loopback port unless it is already
 * listening; or the URL of a running receiver.
 */
export type WebhookReceiver =
  | ((request: RuntimeRequest) => RuntimeResponse | PromiseLike<RuntimeResponse>)
  | {
      /** Handles one webhook. */
      fetch(request: RuntimeRequest): RuntimeResponse | PromiseLike<RuntimeResponse>;
    }
  | HttpServer
  | FastifyApp
  | string
  | Url;

/** A `node:http` listener with two parameters, such as an Express app. */
export type WebhookListener = (request: never, response: never) => unknown;

/** The input for signing a request. */
export interface MessageToSign {
  /** The secret to sign with. */
  secret: string;
  /** The time to sign with. */
  now: Date;
  /** The bytes of the body; empty for a GET. */
  body: Uint8Array;
  /** The delivery id, or a new id if the request is not a delivery. */
  id: string;
}

/** The receiver's settings in the company profile. */
export interface ReceiverProfile {
  /** The secret that the receiver shares with the service. */
  secret: string;
  /** Returns the signature headers: pass `signHeaders` from `@offers/webhook-kit/testing`. */
  sign(message: MessageToSign): Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>;
  /**
   * The base URL of a handler; a path prefix is allowed. For a server or a listener, only the path is used. If the receiver is a URL, this
   * option is ignored.
   * @default "https://integrator.test"
   */
  baseUrl?: string | undefined;
  /**
   * Simulates an outage: while it returns true, connections are refused. Called for each request.
   * @default never
   */
  isDown?: (() => boolean) | undefined;
}
