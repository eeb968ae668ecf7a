import type { EndpointScheme } from "../store/tables.ts";
import type { Confidential } from "./mask-echoes.ts";

/** Why there was no complete response. Stable, because it is stored with attempts and shown in the portal. */
export type EndpointFailureCode =
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

export interface EndpointRequest {
  /** `PUT` is for test events only; the service itself never sends it. */
  method: "GET" | "POST" | "PUT";
  /** The integrator's base URL. It may include a path prefix and a trailing slash. */
  baseAddress: string;
  /** Whether `baseAddress` is a complete URL, such as that of an image. If so, `path` is used only in logs. @default false */
  isCompleteUrl?: boolean;
  /** A path template such as `/contact/new/{workerId}`, which is safe to log. */
  path: string;
  /** Values for the parameters in the path. The client percent-encodes them. */
  parameters?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent as JSON. At most 256 kB. */
  body?: unknown;
  /** Sent unchanged instead of `headers`, `body` and `sign`. For test events with a repeated header or a body that is not JSON. */
  raw?: { headers: readonly (readonly [name: string, value: string])[]; body: Buffer };
  /** Returns the signature headers for the bytes of the body. Without a body, `content` is empty. */
  sign?: (content: Uint8Array) => Record<string, string>;
  /** Values to mask in the response. `sign` adds its signatures to them, so read them only after the response has arrived. */
  confidential?: Confidential;
  /** The deadline for the whole attempt, in milliseconds: DNS lookup, connection, headers and body. */
  timeoutMs: number;
  /** Aborts the attempt before its deadline. */
  signal?: AbortSignal | undefined;
  /** Called once a connection is available, just before the request is written to it. Return `false` to abort the attempt. */
  mayStart?: (() => boolean) | undefined;
  /** The maximum number of bytes of the response body to read (D-24). @default 65_536 */
  maxReadBytes?: number;
}

export interface EndpointResponse {
  ok: true;
  status: number;
  contentType?: string;
  /** The Content-Encoding header. Set if the receiver may have compressed the body, although the request does not accept compression. */
  contentEncoding?: string;
  /** At most `maxReadBytes`, with confidential values masked. */
  body: Buffer;
  /** Whether the body was longer than `maxReadBytes`. */
  truncated: boolean;
  /** The first 32 response headers, each truncated to 256 characters, with confidential values masked. */
  headers?: Record<string, string>;
  /** The target of a redirect, with confidential values masked. */
  location?: string;
  /** Parsed from `Retry-After`, if it is valid. */
  retryAfterMs?: number;
  durationMs: number;
  /** The headers that were sent. Safe to show, because signatures are redacted. */
  sentHeaders?: Record<string, string>;
}

export interface EndpointFailure {
  ok: false;
  code: EndpointFailureCode;
  /** An explanation for users. Contains no secrets. */
  reason: string;
  durationMs: number;
  /** The headers that were sent, with redacted signatures; absent if the request could not be created. */
  sentHeaders?: Record<string, string>;
}

export type EndpointResult = EndpointResponse | EndpointFailure;

/** The HTTP client for integrators' endpoints. */
export interface EndpointClient {
  /** Sends a request. Resolves with a failure if there is no complete response. Rejects only with unexpected errors, such as bugs. */
  send(request: EndpointRequest): Promise<EndpointResult>;
  close(): Promise<void>;
}

/** The message to sign, the signature scheme, and the second secret to sign with during a rotation. */
export interface MessageToSign {
  /** The endpoint's signature scheme (D-76). */
  scheme: EndpointScheme;
  /** The delivery's id, or a new id for any other request. A retry uses the same id. */
  id: string;
  /** The bytes of the body; empty if the request has no body. */
  content: Uint8Array;
  /** The other valid secret during a rotation (D-75); Standard Webhooks signs with both. */
  otherSecret?: string | undefined;
}

/** Signs a message. Returns its signature headers, such as `Timestamp` and `Authorization`. */
export type Sign = (secret: string, message: MessageToSign) => Record<string, string>;
