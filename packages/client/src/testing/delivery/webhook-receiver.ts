import type { FastifyApp, HttpServer } from "@offers/contract/open-receiver";
import type { Url } from "../../http.ts";

// Of whichever library declares them, as in globals.ts.
export type RuntimeRequest = typeof globalThis extends { Request: { prototype: infer Known } }
  ? Known
  : { url: string };
export type RuntimeResponse = typeof globalThis extends { Response: { prototype: infer Known } }
  ? Known
  : { status: number };

/**
 * A handler of requests, such as the kit's `webhookHandler(…)`; an object with such a function as `fetch`, such as a Hono app; a server of
 * `node:http` or a Fastify app, which is started on a free loopback port unless it listens already; or the address of a running receiver.
 */
export type WebhookReceiver =
  | ((request: RuntimeRequest) => RuntimeResponse | PromiseLike<RuntimeResponse>)
  | { fetch(request: RuntimeRequest): RuntimeResponse | PromiseLike<RuntimeResponse> }
  | HttpServer
  | FastifyApp
  | string
  | Url;

/** A listener of `node:http` with its two parameters, such as an Express app. */
export type WebhookListener = (request: never, response: never) => unknown;

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
  /**
   * The base address of a handler; a path prefix is fine. For a server or a listener only its path is used, for an address nothing.
   * @default "https://integrator.test"
   */
  baseUrl?: string | undefined;
  /**
   * An outage: while it returns true, each connection is refused. Asked for each request.
   * @default never
   */
  isDown?: (() => boolean) | undefined;
}
