import type { EndpointScheme } from "../store/tables.ts";
import type { Confidential } from "./mask-echoes.ts";

/** Why there is no complete response. Stable, because it is stored with attempts and shown in the portal. */
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
  /** The integrator's base address, perhaps with a path prefix and a trailing slash. */
  baseAddress: string;
  /** Whether `baseAddress` is a complete URL, such as an image's. `path` is then only used in logs. @default false */
  isWholeAddress?: boolean;
  /** A path template such as `/contact/new/{workerId}`, which is safe to log. */
  path: string;
  /** Fills the template, percent-encoded. */
  parameters?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent as JSON. At most 256 kB. */
  body?: unknown;
  /** Sent as they are, in place of `headers`, `body` and `sign`: a test event may have a header twice, or a body that is not JSON. */
  raw?: { headers: readonly (readonly [name: string, value: string])[]; body: Buffer };
  /** Creates the signature headers from the bytes of the body; empty without a body. */
  sign?: (content: Uint8Array) => Record<string, string>;
  /** Values to mask in the response. `sign` adds signatures to it, so it is read only after the response. */
  confidential?: Confidential;
  /** Deadline of the attempt: name look-up, connection, headers and body. */
  timeoutMs: number;
  /** Aborts the attempt before its deadline. */
  signal?: AbortSignal | undefined;
  /** Called when there is a connection, just before the request is written to it: `false` aborts the attempt. */
  mayStart?: (() => boolean) | undefined;
  /** The rest of the response's body is not read (D-24). @default 65_536 */
  maxReadBytes?: number;
}

export interface EndpointResponse {
  ok: true;
  status: number;
  contentType?: string;
  /** Set when the body is compressed although the request did not ask for it. */
  contentEncoding?: string;
  /** At most `maxReadBytes`, with confidential values masked. */
  body: Buffer;
  /** Whether the body was longer. */
  truncated: boolean;
  /** The first of the response's headers, with confidential values masked. */
  headers?: Record<string, string>;
  /** The target of a redirect, with confidential values masked. */
  location?: string;
  /** From a valid `Retry-After`. */
  retryAfterMs?: number;
  durationMs: number;
  /** With redacted signatures: safe to show. */
  sentHeaders?: Record<string, string>;
}

export interface EndpointFailure {
  ok: false;
  code: EndpointFailureCode;
  /** For people; contains no secret. */
  reason: string;
  durationMs: number;
  /** With redacted signatures; absent when the request could not be made. */
  sentHeaders?: Record<string, string>;
}

export type EndpointResult = EndpointResponse | EndpointFailure;

/** The HTTP client for integrators' endpoints. Never rejects for what the receiver does. */
export interface EndpointClient {
  send(request: EndpointRequest): Promise<EndpointResult>;
  close(): Promise<void>;
}

/** The signed content, in addition to the time. */
export interface MessageToSign {
  /** From the endpoint's profile (D-76). */
  scheme: EndpointScheme;
  /** The delivery's id, or a new one for another request; a retry keeps it. */
  id: string;
  /** The bytes that are sent; empty without a body. */
  content: Uint8Array;
  /** The other valid secret during a rotation (D-75); Standard Webhooks signs with both. */
  otherSecret?: string | undefined;
}

/** Makes the signature headers of a message, such as `Timestamp` and `Authorization`. */
export type Sign = (secret: string, message: MessageToSign) => Record<string, string>;
