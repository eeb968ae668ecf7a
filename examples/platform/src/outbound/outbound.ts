import type { EndpointScheme } from "../store/tables.ts";
import type { Confidential } from "./echo-windows.ts";

/** Why no response came, or none that counts. Stable: stored with attempts, shown in the portal. */
export type OutboundFailureCode =
  | "invalid_address"
  | "forbidden_address"
  | "name_not_found"
  | "connection_refused"
  | "connect_timeout"
  | "connection_lost"
  | "tls_failed"
  | "timeout"
  | "aborted"
  | "request_too_large"
  | "protocol_error";

export interface OutboundRequest {
  method: "GET" | "POST";
  /** The integrator's base address. A path prefix and a trailing slash survive. */
  baseAddress: string;
  /** Whether `baseAddress` is the whole address already, with its query: that of a picture. `path` then only names it. @default false */
  isWholeAddress?: boolean;
  /** A path template such as `/contact/new/{workerId}`; what logs may show. */
  path: string;
  /** Fills the template, percent-encoded. */
  parameters?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent as JSON. At most 256 kB. */
  body?: unknown;
  /** Makes headers of the very bytes that are sent; none without a body. */
  sign?: (content: Uint8Array) => Record<string, string> | Promise<Record<string, string>>;
  /** What the response may not give back. Signatures are added when they are made: read it after the response. */
  confidential?: Confidential;
  /** For the whole attempt: name look-up, connection, headers and body. */
  timeoutMs: number;
  /** Ends the attempt before its time. */
  signal?: AbortSignal | undefined;
  /** What is read of the response's body (D-24). @default 65_536 */
  maxReadBytes?: number;
}

export interface OutboundResponse {
  ok: true;
  status: number;
  contentType?: string;
  /** At most `maxReadBytes` of it, without echoes of what is confidential. */
  body: Buffer;
  /** The body went on beyond that. */
  truncated: boolean;
  /** From `Retry-After`, when it makes sense. */
  retryAfterMs?: number;
  durationMs: number;
  /** What was sent, with signatures taken out: safe to show. */
  sentHeaders?: Record<string, string>;
}

export interface OutboundFailure {
  ok: false;
  code: OutboundFailureCode;
  /** For people; holds no secret. */
  reason: string;
  durationMs: number;
  /** What was to be sent, with signatures taken out; absent when the request could not be made. */
  sentHeaders?: Record<string, string>;
}

export type OutboundResult = OutboundResponse | OutboundFailure;

/** The one way out to integrators' addresses. Never throws for what the other side does. */
export interface Outbound {
  send(request: OutboundRequest): Promise<OutboundResult>;
  close(): Promise<void>;
}

/** What `Sign` signs beside the time. */
export interface MessageToSign {
  /** As the endpoint's profile has it (D-76). */
  scheme: EndpointScheme;
  /** The delivery's id, or a fresh one for a request; the same when the message is sent again. */
  id: string;
  /** The bytes that are sent; none without a body. */
  content: Uint8Array;
  /** The other secret that counts while one is rotated (D-75): a scheme whose header has room signs with it too. */
  otherSecret?: string | undefined;
}

/** Makes the headers that prove knowledge of `secret` now, such as `Timestamp` and `Authorization`. */
export type Sign = (secret: string, message: MessageToSign) => Record<string, string> | Promise<Record<string, string>>;
