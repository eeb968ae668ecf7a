import type { Deduplication } from "../deduplication/deduplication.ts";
import type { TraceContext } from "../endpoints/events.ts";
import type { Handlers } from "../endpoints/handlers.ts";
import type { AnyWebhookKitError } from "../errors/errors.ts";
import type { Rejection } from "../errors/rejection.ts";
import type { SecretSource } from "../signature/secrets.ts";
import type { SignatureScheme } from "../signature/signature-scheme.ts";
import type { Verified } from "../signature/verify-signature.ts";

/**
 * Options for verification. Only `secret` is required.
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
  /** The secret that you share with the service: one, several, or a function that looks it up. */
  secret: SecretSource<Incoming>;
  /** How requests are signed. @default timestampDigest() */
  scheme?: SignatureScheme | undefined;
  /** How many seconds the timestamp may differ from your clock, in either direction; at most a day. 0 allows no difference. @default 300 */
  toleranceSeconds?: number | undefined;
  /** The largest body to read, in bytes; from 1 to 100 MiB. @default 262_144 */
  maxBodyBytes?: number | undefined;
  /** Allows secrets of fewer than 16 characters. @default false */
  allowShortSecret?: boolean | undefined;
  /** The clock, for tests. @default () => new Date() */
  now?: (() => Date) | undefined;
  /** Called after every successful verification. An error that a hook throws is ignored, because no hook can change a response. */
  onVerified?: ((verified: Verified) => unknown) | undefined;
  /**
   * Called with the reason after a request is rejected. If verification failed, the response does not contain the reason. If neither this
   * nor `logger` is set, `console.warn` prints at most one rejection per code and minute.
   */
  onRejected?: ((rejection: Rejection) => unknown) | undefined;
  /**
   * Called after a failure, such as one of a handler, the secret function, the deduplication store or the tracer. If neither this nor
   * `logger` is set, `console.error` prints the failures.
   */
  onError?: ((error: AnyWebhookKitError) => unknown) | undefined;
  /**
   * Receives one line per request, and additional lines for warnings and for failures that do not change the response. Pass pino, for
   * example. The line for a failure contains the error as `err`.
   */
  logger?: Logger | undefined;
}

/**
 * Options for a receiver: how requests are verified and handled.
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
  /** How long a handler may take before the response is 503, in milliseconds; at most 10 minutes. @default 10_000 */
  handlerTimeoutMs?: number | undefined;
  /**
   * Records acknowledged requests, so that an event is handled once. Several processes must share one store. `false` turns deduplication
   * off, for handlers that may run twice for one request. @default memoryDeduplication()
   */
  deduplication?: Deduplication | false | undefined;
  /**
   * `"deduplicate"` acknowledges an identical request without handling it again. Different requests may have the same signature, for
   * example if timestamps have no seconds. `"single-use-signature"` accepts each signature for one request, including `/test/auth` and
   * searches, and rejects any other request with the same signature. Use it only for a service that signs every request with a new
   * timestamp.
   * @default "deduplicate"
   */
  replayProtection?: "deduplicate" | "single-use-signature" | undefined;
  /**
   * An OpenTelemetry tracer. Each request gets a span with attributes that contain only names and codes. With `webhookTracer()` from
   * `/opentelemetry` it continues the sender's trace. @default none
   */
  tracer?: Tracer | undefined;
}

/**
 * Receives one line per request, and additional lines for warnings and for failures that do not change the response. Pass a pino logger or
 * `console`. `fields` contains names, numbers and reasons, and for a failure the error as `err`. The error's `cause` is what your own code
 * threw, and contains whatever you put there.
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
  /** Logs that a webhook was handled, or acknowledged as a duplicate. */
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Logs that a request was rejected, or a warning. */
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  /** Logs a failure. `fields.err` is the error, under the name that pino expects. */
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
}

/** The part of an OpenTelemetry `Span` that the kit uses. @inline */
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
 * The part of an OpenTelemetry `Tracer` that the kit uses, so that the kit does not depend on a version of OpenTelemetry.
 *
 * @example
 * ```ts
 * import { type Tracer, webhookTracer } from "@offers/webhook-kit/opentelemetry";
 *
 * export const tracer: Tracer = webhookTracer({ sender: "link" });
 * ```
 */
export interface Tracer {
  /** Returns false while spans would be useless. Then only requests that carry a sender's trace get a span. @default true */
  isEnabled?(): boolean;
  /** Starts a span, makes it active, and returns the result of `run`. */
  startActiveSpan<T>(
    name: string,
    options: {
      attributes: Record<string, string | number>;
      /** The start time in Unix milliseconds. The span starts when the request arrives, but is created only after verification. */
      startTime: number;
      /** The sender's trace, for a verified request. OpenTelemetry's own tracers ignore it. */
      sender?: TraceContext;
    },
    run: (span: Span) => T,
  ): T;
}
