import { memoryDeduplication } from "../deduplication/memory-deduplication.ts";
import * as defaults from "../generated/decisions.ts";
import type { Handlers } from "../handlers.ts";
import { Observer } from "../observability/observer.ts";
import { readSecret } from "../signature/secrets.ts";
import { timestampDigest } from "../signature/timestamp-digest.ts";
import type { SignaturePolicy } from "../signature/verify-signature.ts";
import { checkOptions } from "./check-options.ts";
import type { ReceiverOptions, VerifyOptions } from "./options.ts";

/** Options with every default filled in and every value checked. */
export interface VerifySettings<Incoming> extends SignaturePolicy<Incoming> {
  readonly maxBodyBytes: number;
  readonly observer: Observer;
}

export interface ReceiverSettings<Incoming>
  extends VerifySettings<Incoming>,
    Readonly<Required<Pick<ReceiverOptions, "handlerTimeoutMs" | "deduplication" | "replayProtection">>> {
  readonly handlers: Handlers<Incoming>;
  readonly tracer: ReceiverOptions["tracer"];
}

/** @throws {ConfigurationError} for an invalid option; nothing is corrected silently */
export function readVerifyOptions<Incoming>(options: VerifyOptions<Incoming>): VerifySettings<Incoming> {
  checkOptions(options);
  const { secret, scheme = timestampDigest(), allowShortSecret = false, now = () => new Date() } = options;
  const { toleranceSeconds = defaults.toleranceSeconds, maxBodyBytes = defaults.maxBodyBytes } = options;
  return {
    lookUpSecrets: readSecret(secret, allowShortSecret === true, scheme),
    hasTenants: typeof secret === "function",
    scheme,
    toleranceMs: toleranceSeconds * 1000,
    maxBodyBytes,
    now,
    observer: new Observer(options, toleranceSeconds),
  };
}

/** @throws {ConfigurationError} for an invalid option; nothing is corrected silently */
export function readReceiverOptions<Incoming>(options: ReceiverOptions<Incoming>): ReceiverSettings<Incoming> {
  const settings = readVerifyOptions(options);
  const { handlerTimeoutMs = defaults.handlerTimeoutMs, replayProtection = "deduplicate", tracer } = options;
  const { deduplication = memoryDeduplication(options.now && { now: options.now }) } = options;
  return { ...settings, handlers: options, handlerTimeoutMs, deduplication, replayProtection, tracer };
}
