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
  /** `PUT` is only for test events: the service itself never sends it. */
  method: "GET" | "POST" | "PUT";
  /** The integrator's base URL, perhaps with a path prefix and a trailing slash. */
  baseAddress: string;
  /** Whether `baseAddress` is a complete URL, such as an image's. `path` is then used only in logs. @default false */
  isCompleteUrl?: boolean;
  /** A path template such as `/contact/new/{workerId}`, which is safe to log. */
  path: string;
  /** Replace the template's parameters, percent-encoded. */
  parameters?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent as JSON. At most 256 kB. */
  body?: unknown;
  /** Sent unchanged instead of `headers`, `body` and `sign`: a test event may repeat a header, or have a body that is not JSON. */
  raw?: { headers: readonly (readonly [name: string, value: string])[]; body: Buffer };
  /** Returns the signature headers for the body's bytes, which are empty without a body. */
  sign?: (content: Uint8Array) => Record<string, string>;
  /** Values to mask in the response. `sign` adds its signatures, so read this only after the response. */
  confidential?: Confidential;
  /** The deadline for the whole attempt, in milliseconds: DNS lookup, connection, headers and body. */
  timeoutMs: number;
  /** Aborts the attempt before its deadline. */
  signal?: AbortSignal | undefined;
  /** Called once a connection is available, just before the request is written to it. Returning `false` aborts the attempt. */
  mayStart?: (() => boolean) | undefined;
  /** How many bytes of the response's body to read (D-24). @default 65_536 */
  maxReadBytes?: number;
}

export interface EndpointResponse {
  ok: true;
  status: number;
  contentType?: string;
  /** Set if the body is compressed although the request did not ask for compression. */
  contentEncoding?: string;
  /** At most `maxReadBytes`, with confidential values masked. */
  body: Buffer;
  /** Whether the body was longer than `maxReadBytes`. */
  truncated: boolean;
  /** The first response headers, with confidential values masked. */
  headers?: Record<string, string>;
  /** Where a redirect points to, with confidential values masked. */
  location?: string;
  /** Parsed from `Retry-After`, if it is valid. */
  retryAfterMs?: number;
  durationMs: number;
  /** The headers that were sent, with redacted signatures: safe to show. */
  sentHeaders?: Record<string, string>;
}

export interface EndpointFailure {
  ok: false;
  code: EndpointFailureCode;
  /** A description for users; contains no secret. */
  reason: string;
  durationMs: number;
  /** The headers that were sent, with redacted signatures; absent if the request could not be made. */
  sentHeaders?: Record<string, string>;
}

export type EndpointResult = EndpointResponse | EndpointFailure;

/** The HTTP client for integrators' endpoints. Never rejects because of what a receiver does. */
export interface EndpointClient {
  send(request: EndpointRequest): Promise<EndpointResult>;
  close(): Promise<void>;
}

/** What a signature covers, in addition to the time. */
export interface MessageToSign {
  /** The scheme in the endpoint's profile (D-76). */
  scheme: EndpointScheme;
  /** The delivery's id, or a new id for any other request. A retry keeps it. */
  id: string;
  /** The bytes of the body; empty without a body. */
  content: Uint8Array;
  /** The other valid secret during a rotation (D-75); Standard Webhooks signs with both. */
  otherSecret?: string | undefined;
}

/** Creates a message's signature headers, such as `Timestamp` and `Authorization`. */
export type Sign = (secret: string, message: MessageToSign) => Record<string, string>;
