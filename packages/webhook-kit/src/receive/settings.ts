import { toleranceSeconds as defaultToleranceSeconds } from "@offers/contract/decisions";
import { memoryDeduplication } from "../deduplication/memory-deduplication.ts";
import { eventEndpoints, hasHandler } from "../endpoints/endpoints.ts";
import type { Handlers } from "../endpoints/handlers.ts";
import * as defaults from "../generated/decisions.ts";
import { checkOptions } from "../options/check-options.ts";
import type { ReceiverOptions, VerifyOptions } from "../options/options.ts";
import { createSecretLookup } from "../signature/secrets.ts";
import { sha256 } from "../signature/sha256.ts";
import { timestampDigest } from "../signature/timestamp-digest.ts";
import type { SignaturePolicy } from "../signature/verify-signature.ts";
import { Observer, RejectionPrinter } from "./observer.ts";

/** Validated options, with defaults applied. */
export interface VerifySettings<Incoming> extends SignaturePolicy<Incoming> {
  readonly observer: Observer;
}

export interface ReceiverSettings<Incoming> extends VerifySettings<Incoming> {
  readonly handlerTimeoutMs: number;
  readonly deduplication: NonNullable<ReceiverOptions["deduplication"]>;
  readonly replayProtection: NonNullable<ReceiverOptions["replayProtection"]>;
  readonly handlers: Handlers<Incoming>;
  readonly tracer: ReceiverOptions["tracer"];
}

/** The printer for options that are read for each request. */
const sharedPrinter = new RejectionPrinter();

/**
 * Validates the options and applies the defaults.
 *
 * @param printer the receiver's own printer; omitted if the options are read for each request
 * @throws {ConfigurationError} for an invalid option; nothing is corrected silently
 */
export function readVerifyOptions<Incoming>(
  options: VerifyOptions<Incoming>,
  printer: RejectionPrinter = sharedPrinter,
): VerifySettings<Incoming> {
  checkOptions(options);
  const { secret, scheme = timestampDigest(), allowShortSecret = false, now = () => new Date() } = options;
  const { toleranceSeconds = defaultToleranceSeconds, maxBodyBytes = defaults.maxBodyBytes } = options;
  return {
    lookUpSecrets: createSecretLookup(secret, allowShortSecret === true, scheme),
    hasTenants: typeof secret === "function",
    scheme,
    toleranceMs: toleranceSeconds * 1000,
    maxBodyBytes,
    now,
    observer: new Observer(options, toleranceSeconds, now, printer),
  };
}

/** Like {@link readVerifyOptions}, for a receiver. */
export function readReceiverOptions<Incoming>(
  options: ReceiverOptions<Incoming>,
  printer?: RejectionPrinter,
): ReceiverSettings<Incoming> {
  const settings = readVerifyOptions(options, printer);
  const { handlerTimeoutMs = defaults.handlerTimeoutMs, replayProtection = "deduplicate", tracer } = options;
  const { deduplication = memoryDeduplication({ now: options.now }) } = options;
  return { ...settings, handlers: options, handlerTimeoutMs, deduplication, replayProtection, tracer };
}

/** Reads a receiver's options at startup, and warns about options that will lose events later. */
export function startReceiver<Incoming>(options: ReceiverOptions<Incoming>): ReceiverSettings<Incoming> {
  const settings = readReceiverOptions(options, new RejectionPrinter());
  warnAboutUndecodedSecret(options, settings);
  warnAboutMissingHandlers(options, settings);
  return settings;
}

/** Names the events that the receiver rejects or drops, because it has no handler for them (D-152). */
function warnAboutMissingHandlers(handlers: ReceiverOptions<never>, { observer }: VerifySettings<never>): void {
  const missing = eventEndpoints.filter((endpoint) => !hasHandler(endpoint, handlers));
  if (missing.length === 0) return;
  const list = missing.map(({ name, isOptional }) => `${name} (${isOptional ? "acknowledged and dropped" : "404"})`);
  observer.warnOnce(
    "no_handler",
    `The webhook receiver has no handler for ${list.join(", ")}. These events are lost. Pass their handlers or onEvent.`,
  );
}

/** Like {@link startReceiver}, for verification alone. */
export function startVerifier<Incoming>(options: VerifyOptions<Incoming>): VerifySettings<Incoming> {
  const settings = readVerifyOptions(options, new RejectionPrinter());
  warnAboutUndecodedSecret(options, settings);
  return settings;
}

/**
 * Hashes of the secrets that were already warned about. Without them, a program that creates a receiver per request would repeat the
 * warning.
 */
const warnedHashes = new Set<string>();
const maxWarnedHashes = 1_000;

/**
 * Warns about a secret that the sender may decode first. Does not reject it, because any string in the company profile is a valid secret,
 * and a receiver that does not start loses every event.
 */
function warnAboutUndecodedSecret({ secret }: VerifyOptions<never>, { scheme, observer }: VerifySettings<never>): void {
  if (typeof secret === "function" || scheme.name !== "timestamp-digest") return;
  const undecodedSecrets = [secret].flat().filter((text) => text.startsWith("whsec_"));
  const hashes = undecodedSecrets.map((text) => sha256(text));
  // Also true if there are no such secrets.
  if (hashes.every((hash) => warnedHashes.has(hash))) return;
  if (warnedHashes.size >= maxWarnedHashes) warnedHashes.clear();
  for (const hash of hashes) warnedHashes.add(hash);
  observer.warn(
    "undecoded_secret",
    "One of your secrets starts with whsec_, like a Standard Webhooks secret. timestampDigest() uses it as is, without decoding it. If your sender signs with webhook-signature, pass scheme: standardWebhooks().",
  );
}
