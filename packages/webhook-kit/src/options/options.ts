import type { Deduplication } from "../deduplication/deduplication.ts";
import type { TraceContext } from "../endpoints/events.ts";
import type { Handlers } from "../endpoints/handlers.ts";
import type { AnyWebhookKitError } from "../errors/errors.ts";
import type { Rejection } from "../errors/rejection.ts";
import type { SecretSource } from "../signature/secrets.ts";
import type { SignatureScheme } from "../signature/signature-scheme.ts";
import type { Verified } from "../signature/verify-signature.ts";

/**
 * How requests are verified. Everything but `secret` has a default.
 *
 * @example
 * ```ts
 * import type { VerifyOptions } from "@offers/webhook-kit";
 *
 * export const rotating: VerifyOptions = {
 *   secret: ["a1b6c2f0-7f7e-4f51-9d0c-3f8f3e6f2b77", "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52"],
 *   onVerified: ({ secretIndex }) => console.log(secretIndex === 0 ? "new secret" : "old secret"),
 * };
 * ```
 */
export interface VerifyOptions<Incoming = unknown> {
  secret: SecretSource<Incoming>;
  /** @default timestampDigest() */
  scheme?: SignatureScheme;
  /** How far the timestamp may lie from your clock, in both directions; at most a day (D-16). 0 means 0. @default 300 */
  toleranceSeconds?: number;
  /** The largest body that is read, 1 to 100 MiB (D-24). @default 262_144 */
  maxBodyBytes?: number;
  /** Allows secrets of fewer than 16 characters (D-43). @default false */
  allowShortSecret?: boolean;
  /** The clock, for tests. @default () => new Date() */
  now?: () => Date;
  /** Called after every verification that passed. What a hook throws is ignored: no hook changes a response. */
  onVerified?(verified: Verified): unknown;
  /**
   * Called after every rejected request, with its code, which the sender does not get. Without it and without `logger`, the first
   * rejection of each code in a minute goes to `console.warn`.
   */
  onRejected?(rejection: Rejection): unknown;
  /**
   * Called after a failure on this side: a handler, the secret function, the deduplication store, the tracer. Without it and without
   * `logger`, failures go to `console.error`.
   */
  onError?(error: AnyWebhookKitError): unknown;
  /** One line per request, one more when its deduplication record could not be kept; pino, for example. A failure's line has `err`. */
  logger?: Logger;
}

/**
 * How requests are verified and handled.
 *
 * @example
 * ```ts
 * import type { ReceiverOptions } from "@offers/webhook-kit";
 * import { webhookRouter } from "@offers/webhook-kit/express";
 *
 * const options: ReceiverOptions = {
 *   secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52",
 *   handlerTimeoutMs: 5_000,
 *   onWorkerAddedContact: ({ workerId }) => console.log("hello", workerId),
 * };
 * webhookRouter(options);
 * ```
 */
export interface ReceiverOptions<Incoming = unknown> extends VerifyOptions<Incoming>, Handlers<Incoming> {
  /** How long a handler may take before the sender gets 503, at most 10 minutes (D-25). @default 10_000 */
  handlerTimeoutMs?: number;
  /**
   * Deduplication of events: where acknowledged requests are recorded; share one store between processes (D-45). `false`: none, for
   * handlers that may run twice for one request. @default memoryDeduplication()
   */
  deduplication?: Deduplication | false;
  /**
   * `"deduplicate"`: an identical request is acknowledged and not handled again; other requests may have the same signature, as
   * they do under timestamps without seconds (D-45). `"single-use-signature"`: a signature is good for one request, `/test/auth`
   * and searches included, and any other that has it gets 401 (D-58). Only for a service that signs every request with a new
   * timestamp. @default "deduplicate"
   */
  replayProtection?: "deduplicate" | "single-use-signature";
  /**
   * An OpenTelemetry tracer: each request gets a span, whose attributes hold names and codes only (D-49). With `webhookTracer()` of
   * `/opentelemetry` it continues the sender's trace (D-138).
   */
  tracer?: Tracer;
}

/**
 * Gets one line per request, and one more when its deduplication record could not be kept: a pino logger, or `console`.
 * `fields` holds names, numbers and reasons; of a failure also the error, as `err`, whose `cause` is what your own code threw and
 * may hold whatever you put there (D-49).
 *
 * @example
 * ```ts
 * import type { Logger } from "@offers/webhook-kit";
 *
 * export const logger: Logger = {
 *   info: (fields, message) => console.info(message, JSON.stringify(fields)),
 *   warn: (fields, message) => console.warn(message, JSON.stringify(fields)),
 *   error: ({ err, ...fields }, message) => console.error(message, JSON.stringify(fields), err),
 * };
 * ```
 */
export interface Logger {
  /** A webhook was handled, or acknowledged as a duplicate. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** A request was rejected. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Something failed on this side: `err` is the error, as pino names it. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** As much of an OpenTelemetry `Span` as is used. @inline */
export interface Span {
  setAttribute(name: string, value: string | number): unknown;
  setStatus(status: { code: number }): unknown;
  spanContext?(): {
    traceId: string;
    spanId: string;
    traceFlags: number;
    traceState?: { serialize(): string } | undefined;
  };
  end(): void;
}

/**
 * As much of an OpenTelemetry `Tracer` as is used: the kit depends on no version of it.
 *
 * @example
 * ```ts
 * import { type Tracer, webhookTracer } from "@offers/webhook-kit/opentelemetry";
 *
 * export const tracer: Tracer = webhookTracer({ sender: "link" });
 * ```
 */
export interface Tracer {
  /** False while spans would be of no use: then only a request with a sender's trace gets one. @default true */
  isEnabled?(): boolean;
  /** Starts a span, makes it the active one, and returns the result of `run`. */
  startActiveSpan<T>(
    name: string,
    options: {
      attributes: Record<string, string | number>;
      /** Unix milliseconds: the span starts before the request is verified, and is made after. */
      startTime: number;
      /** Of a verified request: the trace of its sender. OpenTelemetry's own tracers ignore it. */
      sender?: TraceContext;
    },
    run: (span: Span) => T,
  ): T;
}
