import { errorDocsUrl } from "@offers/contract/decisions";

const brand = Symbol.for("@offers/webhook-kit/error");

/**
 * Base of everything this package throws or hands to `onError`. `code` never changes between releases; `message` may.
 * No message of the kit ever holds a secret, a digest, a body or an email address; a `cause` is what your own code threw (D-49).
 *
 * @example
 * ```ts
 * import type { WebhookKitError } from "@offers/webhook-kit";
 *
 * export const describe = (error: WebhookKitError): string => `${error.name} ${error.code}: ${error.message}`;
 * ```
 */
export abstract class WebhookKitError<Code extends string = string> extends Error {
  /** @internal */
  readonly [brand] = true;
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** The address of the page about `code`: its meaning, the likely cause and what to do (D-113). */
  get docsUrl(): string {
    return `${errorDocsUrl}${this.code}`;
  }
}

/**
 * The kit is configured wrongly. Thrown at construction, except what only a request can show: `body_already_consumed` (the
 * sender gets 500, and `onError` the error), `wrong_request_type`, which your receiver throws, and `inbox_key_required` and
 * `inbox_used_twice`, which `inbox.once` throws.
 *
 * @example
 * ```ts
 * import { ConfigurationError } from "@offers/webhook-kit";
 *
 * export const isSecretMissing = (error: unknown): boolean =>
 *   error instanceof ConfigurationError && error.code === "invalid_secret";
 * ```
 */
export class ConfigurationError extends WebhookKitError<
  | "invalid_option"
  | "invalid_secret"
  | "short_secret"
  | "body_already_consumed"
  | "wrong_request_type"
  | "inbox_key_required"
  | "inbox_used_twice"
> {
  override readonly name = "ConfigurationError";
}

/**
 * A handler of yours threw (`cause` has what it threw), timed out, or returned what the service would reject
 * (`fields` says which fields, without their values). The sender got a bare 500, or 503 for the timeout.
 *
 * @example
 * ```ts
 * import { HandlerError } from "@offers/webhook-kit";
 *
 * export function onError(error: unknown): void {
 *   if (error instanceof HandlerError) console.error(error.code, error.fields ?? error.cause);
 * }
 * ```
 */
export class HandlerError extends WebhookKitError<"handler_failed" | "handler_timed_out" | "invalid_handler_result"> {
  override readonly name = "HandlerError";
  readonly fields: Readonly<Record<string, readonly string[]>> | undefined;

  constructor(
    code: HandlerError["code"],
    message: string,
    options?: ErrorOptions & { fields?: Readonly<Record<string, readonly string[]>> },
  ) {
    super(code, message, options);
    this.fields = options?.fields;
  }
}

/**
 * A dependency failed: your secret function, a signature scheme of your own, or the deduplication store (`cause` has what it
 * threw). The sender got 503, so the service retries. `inbox.once` also throws it, as `inbox_table_missing` or
 * `inbox_unavailable`, and `catchUp`, as `feed_failed`.
 *
 * @example
 * ```ts
 * import { UnavailableError } from "@offers/webhook-kit";
 *
 * export const isSecretOutage = (error: unknown): boolean =>
 *   error instanceof UnavailableError && error.code === "secret_lookup_failed";
 * ```
 */
export class UnavailableError extends WebhookKitError<
  | "secret_lookup_failed"
  | "invalid_secret"
  | "signature_scheme_error"
  | "deduplication_full"
  | "deduplication_failed"
  | "inbox_table_missing"
  | "inbox_unavailable"
  | "feed_failed"
> {
  override readonly name = "UnavailableError";
}

/**
 * Something unforeseen failed while a request was received: a `now` of yours that throws, or a fault of the kit (`cause` has
 * what was thrown); the response was 500. Or your tracer threw (`tracer_failed`), which changes no response.
 *
 * @example
 * ```ts
 * import { InternalError } from "@offers/webhook-kit";
 *
 * export const isWorthReporting = (error: unknown): boolean => error instanceof InternalError;
 * ```
 */
export class InternalError extends WebhookKitError<"internal_error" | "tracer_failed"> {
  override readonly name = "InternalError";
}

/**
 * A queued value is no {@link WebhookEvent} (`fields` says which fields, without their values). A retry cannot help: move the
 * message to your dead-letter queue.
 *
 * @example
 * ```ts
 * import { InvalidEventError, parseWebhookEvent } from "@offers/webhook-kit";
 *
 * try {
 *   parseWebhookEvent(JSON.parse('{"type":"SomethingElse"}'));
 * } catch (error) {
 *   if (error instanceof InvalidEventError) console.error(error.code, error.fields);
 * }
 * ```
 */
export class InvalidEventError extends WebhookKitError<"invalid_event"> {
  override readonly name = "InvalidEventError";
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(
    code: InvalidEventError["code"],
    message: string,
    options: { fields: Readonly<Record<string, readonly string[]>> },
  ) {
    super(code, message);
    this.fields = options.fields;
  }
}

/**
 * Every error this package throws or hands to `onError`: a union that narrows on `code` and on `name`.
 *
 * @example
 * ```ts
 * import type { AnyWebhookKitError } from "@offers/webhook-kit";
 *
 * export function labelOf(error: AnyWebhookKitError): string {
 *   if (error.code === "handler_failed") return `our handler: ${String(error.cause)}`;
 *   return error.name === "UnavailableError" ? `retried by the service: ${error.code}` : error.message;
 * }
 * ```
 */
export type AnyWebhookKitError =
  | ConfigurationError
  | HandlerError
  | UnavailableError
  | InternalError
  | InvalidEventError;

/**
 * Like `instanceof WebhookKitError`, but true also when two copies of the package are installed; narrows to every kind.
 *
 * @example
 * ```ts
 * import { isWebhookKitError } from "@offers/webhook-kit";
 *
 * export const codeOf = (error: unknown): string => (isWebhookKitError(error) ? error.code : "unknown");
 * ```
 */
export const isWebhookKitError = (value: unknown): value is AnyWebhookKitError =>
  value instanceof Error && brand in value;
