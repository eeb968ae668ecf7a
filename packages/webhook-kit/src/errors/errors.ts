import { errorDocsUrl } from "@offers/contract/decisions";

const brand = Symbol.for("@offers/webhook-kit/error");

/**
 * The base class of everything that this package throws or passes to `onError`. `code` never changes between releases; `message` may. No
 * message from the kit contains a secret, a digest, a body or an email address; `cause` is what your own code threw.
 *
 * @example
 * ```ts
 * import type { WebhookKitError } from "@offers/webhook-kit";
 *
 * export const describe = (error: WebhookKitError): string => `${error.name} ${error.code}: ${error.message}`;
 * ```
 */
export abstract class WebhookKitError<Code extends string = string> extends Error {
  /** A stable identifier of the failure. */
  readonly code: Code;

  constructor(code: Code, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }

  /** Marks the error. It is defined on the prototype, because the console prints own properties. @internal */
  get [brand](): true {
    return true;
  }

  /** The page about `code`: its meaning, the likely cause and what to do. */
  get docsUrl(): string {
    return `${errorDocsUrl}${this.code}`;
  }
}

/**
 * The kit is configured incorrectly. Thrown at construction, except for problems that only a request reveals: `body_already_consumed` (the
 * response is 500, and `onError` receives the error), `wrong_request_type`, which your receiver throws, and `inbox_key_required` and
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
 * Your handler threw (`cause` is what it threw), timed out, or returned something that the service would reject (`fields` lists the fields,
 * without their values). The response was 500, or 503 for the timeout.
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
  /** The problems with each field of the handler's result, by the field's name; undefined for other failures. */
  declare readonly fields: Readonly<Record<string, readonly string[]>> | undefined;

  constructor(
    code: HandlerError["code"],
    message: string,
    options?: ErrorOptions & {
      /** The problems with each field. */
      fields?: Readonly<Record<string, readonly string[]>>;
    },
  ) {
    super(code, message, options);
    // Set only if there are any, because the console would print undefined.
    if (options?.fields) this.fields = options.fields;
  }
}

/**
 * A dependency failed: your secret function, your own signature scheme, or the deduplication store (`cause` is what it threw). The response
 * was 503, so the service retries. `inbox.once` also throws this error, with the code `inbox_table_missing` or `inbox_unavailable`, and so
 * does `catchUp`, with `feed_failed`.
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
 * An unexpected failure while receiving a request. With the code `internal_error`, your `now` threw or the kit has a bug, and the response
 * was 500. With `tracer_failed`, your tracer threw, which does not change the response. `cause` is the value that was thrown.
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
 * A queued value is not a {@link WebhookEvent} (`fields` lists the fields, without their values). A retry does not help, so move the
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
  /** The problems with each field, by the field's name, such as `data.workerId`. */
  readonly fields: Readonly<Record<string, readonly string[]>>;

  constructor(
    code: InvalidEventError["code"],
    message: string,
    options: {
      /** The problems with each field. */
      fields: Readonly<Record<string, readonly string[]>>;
    },
  ) {
    super(code, message);
    this.fields = options.fields;
  }
}

/**
 * Every error that this package throws or passes to `onError`, as a union that narrows on `code` and on `name`.
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
 * Like `instanceof WebhookKitError`, but also true when two copies of the package are installed. Narrows to {@link AnyWebhookKitError}.
 *
 * @example
 * ```ts
 * import { isWebhookKitError } from "@offers/webhook-kit";
 *
 * export const codeOf = (error: unknown): string => (isWebhookKitError(error) ? error.code : "unknown");
 * ```
 */
export const isWebhookKitError = (value: unknown): value is AnyWebhookKitError => brand in Object(value);
