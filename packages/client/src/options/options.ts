import type { AnyOffersError } from "../errors/any-offers-error.ts";
import type { Fetch } from "../http/fetch.ts";
import type { Signal, Url } from "../http/globals.ts";
import type { Middleware } from "../http/middleware.ts";
import type { Logger } from "./logger.ts";

/**
 * The API key of one organisation, or a function that gives it: called before every call with `refresh: false`, so keep
 * what you fetched, and once more with `refresh: true` after a 401, which repeats the request if the key is another one
 * (D-47).
 *
 * @example
 * ```ts
 * import { type ApiKey, OffersClient } from "@offers/client";
 *
 * let cached: string | undefined;
 * const fromVault: ApiKey = async ({ refresh }) => {
 *   if (refresh || cached === undefined) cached = await (await fetch("https://vault.example/offers-key")).text();
 *   return cached;
 * };
 * export const offers = new OffersClient({ baseUrl: "https://service.example", apiKey: fromVault });
 * ```
 */
export type ApiKey = string | ((request: { refresh: boolean }) => string | Promise<string>);

/**
 * How to reach the service. Only the first two are required; numbers are whole, milliseconds at most 2,147,483,647.
 *
 * @example
 * ```ts
 * import { OffersClient, type OffersClientOptions } from "@offers/client";
 *
 * const patient: OffersClientOptions = {
 *   baseUrl: "https://service.example/some-prefix/",
 *   apiKey: process.env.OFFERS_API_KEY ?? "",
 *   timeoutMs: 60_000,
 *   totalTimeoutMs: 300_000,
 *   maxRetries: 4,
 * };
 * export const offers = new OffersClient(patient);
 * ```
 */
export interface OffersClientOptions {
  /** The service's base address; a path prefix is kept. https, or http on loopback. */
  baseUrl: string | Url;
  /** Sent to that address only, and never shown in an error or a log (D-49). */
  apiKey: ApiKey;
  /** The header that carries the key (D-18). @default "X-UE-Api-Subscription-Key" */
  apiKeyHeader?: string | undefined;
  /** Sent with every operation as `api-version` (D-27). @default "1.0" */
  apiVersion?: string | undefined;
  /** Bounds one attempt, from its start to the end of the body (D-25). @default 30_000 */
  timeoutMs?: number | undefined;
  /** Bounds the call: all attempts, the waits between them and your `apiKey` function (D-25). @default 90_000 */
  totalTimeoutMs?: number | undefined;
  /** How often a failed attempt is repeated at most (D-50); 0 repeats none. @default 2 */
  maxRetries?: number | undefined;
  /** A longer `Retry-After` is not waited for: the error comes at once and says how long (D-50). @default 30_000 */
  maxRetryAfterMs?: number | undefined;
  /**
   * How large the body of a response may be, in bytes, unpacked; at least 1. Beyond it the connection is given up, and a
   * success is `response_too_large` (D-98). @default 10_485_760
   */
  maxResponseBytes?: number | undefined;
  /** Whether the service acts once on one `Idempotency-Key`; only then creations and completions are repeated (D-40). @default false */
  serviceHonoursIdempotencyKey?: boolean | undefined;
  /** @default the runtime's fetch, looked up at every request */
  fetch?: Fetch | undefined;
  /** Around every attempt, the first outermost. @default [] */
  middleware?: readonly Middleware[] | undefined;
  /** One line per attempt. @default none */
  logger?: Logger | undefined;
  /**
   * Told before every wait: why the attempt failed, its number from 1, and how long the wait is. What it throws, or rejects
   * with, is ignored. @default none
   */
  onRetry?: ((notice: { error: AnyOffersError; attempt: number; delayMs: number }) => void) | undefined;
  /** @default "offers-client" */
  userAgent?: string | undefined;
}

/**
 * What one call does differently.
 *
 * @example
 * ```ts
 * import type { CallOptions, OffersClient } from "@offers/client";
 *
 * const once: CallOptions = { maxRetries: 0, timeoutMs: 2_000, signal: AbortSignal.timeout(5_000) };
 * export const peek = (offers: OffersClient, id: string) => offers.getOffer(id, once);
 * ```
 */
export interface CallOptions {
  /** Ends the call at once, also while it waits; no listener stays on it. */
  signal?: Signal | undefined;
  timeoutMs?: number | undefined;
  totalTimeoutMs?: number | undefined;
  maxRetries?: number | undefined;
  /** Of a creation or completion, the same on every attempt (D-40). @default a random UUID per call */
  idempotencyKey?: string | undefined;
  /** Sent beside the client's own, which win. */
  headers?: Readonly<Record<string, string>> | undefined;
}
