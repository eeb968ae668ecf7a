import type { Awaitable } from "../receive/after.ts";

/** What became of a request's body. */
export type ReceivedBody =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** A parser in front took the bytes and left only this. */
  | { readonly kind: "parsed"; readonly value: unknown }
  | { readonly kind: "consumed" }
  | { readonly kind: "refused"; readonly reason: "body_too_large" | "body_too_slow" | "body_incomplete" };

/** A request as an adapter presents it. */
export interface IncomingWebhook<Incoming> {
  readonly method: string;
  /** Below the place where the receiver is mounted, still percent-encoded, without query. */
  readonly path: string;
  /** As sent, mount and query included. */
  readonly target: string;
  /** Node's flat list: name, value, name, value. */
  readonly rawHeaders: readonly string[];
  /** The framework's own request. */
  readonly request: Incoming;
  /** Called at most once, and not before the headers are verified unless the scheme covers the body. */
  readBody(maxBytes: number, timeoutMs: number): Awaitable<ReceivedBody>;
}
