import type { Receipts } from "../deduplication/deduplication.ts";
import { memoryReceipts } from "../deduplication/memory-deduplication.ts";
import { type AnyWebhookKitError, ConfigurationError } from "../errors.ts";
import * as defaults from "../generated/decisions.ts";
import type { Handlers } from "../handlers.ts";
import type { Logger } from "../logger.ts";
import { Observer, type Verified } from "../observability/observer.ts";
import type { Tracer } from "../observability/trace-request.ts";
import type { Rejection } from "../rejection.ts";
import { readSecret, type Secret, type SecretLookup } from "../signature/secrets.ts";
import type { SignatureScheme } from "../signature/signature-scheme.ts";
import { timestampDigest } from "../signature/timestamp-digest.ts";
import { checkMethods } from "./check-methods.ts";
import { checkOptionNames } from "./check-option-names.ts";
import { typeInWords } from "./type-in-words.ts";

/**
 * How requests are checked. Everything but `secret` has a default.
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
  secret: Secret<Incoming>;
  /** @default timestampDigest() */
  scheme?: SignatureScheme;
  /** How far the timestamp may lie from your clock, either way, at most a day (D-16). 0 means 0. @default 300 */
  toleranceSeconds?: number;
  /** The largest body that is read, 1 to 100 MiB (D-24). @default 262_144 */
  maxBodyBytes?: number;
  /** Takes secrets of fewer than 16 characters (D-43). @default false */
  allowWeakSecret?: boolean;
  /** The clock, for tests. @default () => new Date() */
  now?: () => Date;
  /** After every check that passed. No hook can change an answer: whatever it throws is dropped. */
  onVerified?(verified: Verified): unknown;
  /** After every request that was refused, with the reason that the sender is not told. */
  onRejected?(rejection: Rejection): unknown;
  /**
   * After a failure on this side: a handler, the secret function, the receipts, the tracer, the set-up. Without it and without
   * `logger`, failures go to `console.error`.
   */
  onError?(error: AnyWebhookKitError): unknown;
  /** pino fits. Gets one line per request, and one more when its receipt could not be kept. A failure's line has `err`. */
  logger?: Logger;
}

/**
 * How requests are checked and what is done with them.
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
  /** How long a handler may take before the sender is answered 503, at most 10 minutes (D-25). @default 10_000 */
  handlerTimeoutMs?: number;
  /**
   * The memory of requests already acknowledged; share one between processes (D-45). `false`: none, for handlers that may
   * run twice for one request. @default memoryReceipts()
   */
  receipts?: Receipts | false;
  /**
   * `"identical"`: a repeat of a request is acknowledged and not handled again, and other requests may come with the same
   * signature, as they do from a service that signs whole minutes (D-45). `"bind"`: a signature is good for one request,
   * `/test/auth` and searches included, and any other that brings it is 401 (D-58). Only for a service that signs each
   * request anew. @default "identical"
   */
  replay?: "identical" | "bind";
  /** Gets a span for each request: an OpenTelemetry tracer fits (D-49). Its attributes hold names and codes only. */
  tracer?: Tracer;
}

/** Options with every default filled in and every value checked. */
export interface VerifySettings<Incoming> {
  readonly lookUpSecrets: SecretLookup<Incoming>;
  /** True when the secret tells one tenant from another. */
  readonly hasTenants: boolean;
  readonly scheme: SignatureScheme;
  readonly toleranceMs: number;
  readonly maxBodyBytes: number;
  readonly now: () => Date;
  readonly observer: Observer;
}

export interface ReceiverSettings<Incoming> extends VerifySettings<Incoming> {
  readonly handlers: Handlers<Incoming>;
  readonly handlerTimeoutMs: number;
  readonly receipts: Receipts | false;
  readonly replay: "identical" | "bind";
  readonly tracer: Tracer | undefined;
}

/** @throws {ConfigurationError} for an option that cannot be right; nothing is corrected silently */
export function readVerifyOptions<Incoming>(options: VerifyOptions<Incoming>): VerifySettings<Incoming> {
  checkOptionNames(options);
  const {
    secret,
    scheme = timestampDigest(),
    toleranceSeconds = defaults.toleranceSeconds,
    maxBodyBytes = defaults.maxBodyBytes,
  } = options;
  const { allowWeakSecret = false, now = () => new Date(), logger } = options;
  checkMethods("scheme", scheme, ["sign", "read", "verify"], "timestampDigest()");
  if (typeof scheme.name !== "string" || !/^[\x20-\x7e]+$/.test(scheme.challenge))
    throw new ConfigurationError(
      "invalid_option",
      "scheme must have a name, and a challenge that fits an HTTP header.",
    );
  if (logger !== undefined) checkMethods("logger", logger, ["info", "warn", "error"], "pino()");
  return {
    lookUpSecrets: readSecret(secret, allowWeakSecret === true, scheme),
    hasTenants: typeof secret === "function",
    scheme,
    toleranceMs: within("toleranceSeconds", toleranceSeconds, 0, 86_400) * 1000,
    maxBodyBytes: whole("maxBodyBytes", maxBodyBytes, 1, 104_857_600),
    now,
    observer: new Observer(options, toleranceSeconds),
  };
}

/** @throws {ConfigurationError} for an option that cannot be right; nothing is corrected silently */
export function readReceiverOptions<Incoming>(options: ReceiverOptions<Incoming>): ReceiverSettings<Incoming> {
  const settings = readVerifyOptions(options);
  const {
    handlerTimeoutMs = defaults.handlerTimeoutMs,
    receipts = memoryReceipts(options.now && { now: options.now }),
  } = options;
  const { replay = "identical", tracer } = options;
  if (receipts !== false) checkMethods("receipts", receipts, ["claim", "complete", "release"], "memoryReceipts()");
  if (tracer !== undefined) checkMethods("tracer", tracer, ["startActiveSpan"], "OpenTelemetry's trace.getTracer()");
  if (replay === "bind" && receipts === false)
    throw new ConfigurationError(
      "invalid_option",
      'replay "bind" needs receipts to remember signatures in; leave out `receipts: false`.',
    );
  return {
    ...settings,
    handlers: options,
    handlerTimeoutMs: whole("handlerTimeoutMs", handlerTimeoutMs, 1, 600_000),
    receipts,
    replay: oneOf("replay", replay, ["identical", "bind"]),
    tracer,
  };
}

function oneOf<T extends string>(name: string, value: T, values: readonly T[]): T {
  if (values.includes(value)) return value;
  throw new ConfigurationError(
    "invalid_option",
    `${name} must be one of: ${values.join(", ")}; it is ${typeof value === "string" ? "another word" : typeInWords(value)}.`,
  );
}

function within(name: string, value: number, least: number, most: number): number {
  if (typeof value === "number" && value >= least && value <= most) return value;
  throw new ConfigurationError(
    "invalid_option",
    `${name} must be a number from ${least} to ${most}; it is ${numberInWords(value)}.`,
  );
}

function whole(name: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new ConfigurationError(
    "invalid_option",
    `${name} must be a whole number from ${least} to ${most}; it is ${numberInWords(value)}.`,
  );
}

const numberInWords = (value: unknown): string => (typeof value === "number" ? String(value) : typeInWords(value));
