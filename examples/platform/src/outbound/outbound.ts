/** Why no answer came, or none that counts. Stable: stored with attempts, shown in the portal. */
export type OutboundFailureCode =
  | "invalid_address"
  | "forbidden_address"
  | "name_not_found"
  | "connection_refused"
  | "connect_timeout"
  | "connection_lost"
  | "tls_failed"
  | "timeout"
  | "request_too_large"
  | "protocol_error";

export interface OutboundRequest {
  method: "GET" | "POST";
  /** The integrator's base address. A path prefix and a trailing slash survive. */
  baseAddress: string;
  /** A path template such as `/contact/new/{workerId}`; what logs may show. */
  path: string;
  /** Fills the template, percent-encoded. */
  parameters?: Record<string, string>;
  headers?: Record<string, string>;
  /** Sent as JSON. At most 256 kB. */
  body?: unknown;
  /** For the whole attempt: name look-up, connection, headers and body. */
  timeoutMs: number;
  /** What is read of the answer's body (D-24). @default 65_536 */
  maxReadBytes?: number;
}

export interface OutboundAnswer {
  ok: true;
  status: number;
  contentType?: string;
  /** At most `maxReadBytes` of it. */
  body: Buffer;
  /** The body went on beyond that. */
  truncated: boolean;
  /** From `Retry-After`, when it makes sense. */
  retryAfterMs?: number;
  durationMs: number;
}

export interface OutboundFailure {
  ok: false;
  code: OutboundFailureCode;
  /** For people; holds no secret. */
  reason: string;
  durationMs: number;
}

export type OutboundResult = OutboundAnswer | OutboundFailure;

/** The one way out to integrators' addresses. Never throws for what the other side does. */
export interface Outbound {
  send(request: OutboundRequest): Promise<OutboundResult>;
  close(): Promise<void>;
}

/** Makes the headers that prove knowledge of `secret` now, such as `Timestamp` and `Authorization`. */
export type Sign = (secret: string) => Record<string, string> | Promise<Record<string, string>>;
