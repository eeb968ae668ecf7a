import type { WebhookKitError } from "./errors.ts";
import type { Logger } from "./logger.ts";
import type { Rejection } from "./rejection.ts";

/**
 * What the check of one request showed. Watch `reading` to learn how the service reads the scheme, `secretIndex` to see when
 * an old secret is no longer used, `skewSeconds` to see a clock drift before it costs requests.
 *
 * @example
 * ```ts
 * import type { Verified } from "@offers/webhook-kit";
 *
 * export const usesOldSecret = ({ secretIndex }: Verified): boolean => secretIndex > 0;
 * ```
 */
export interface Verified {
  readonly scheme: string;
  /** `appended` or `hmac` under the default scheme. */
  readonly reading: string;
  /** Which of the secrets, counted from 0. */
  readonly secretIndex: number;
  /** How far the timestamp lies from your clock; negative is the past, 0 is within the minute that was signed. */
  readonly skewSeconds: number;
}

interface Hooks {
  onVerified?(verified: Verified): unknown;
  onRejected?(rejection: Rejection): unknown;
  onError?(error: WebhookKitError): unknown;
  logger?: Logger;
}

/** Tells hooks and logger, and shields the answer from both. The logger gets codes and names only (D-49). */
export class Observer {
  readonly #hooks: Hooks;

  constructor(hooks: Hooks) {
    this.#hooks = hooks;
  }

  verified(verified: Verified): void {
    if (this.#hooks.onVerified) shield(() => this.#hooks.onVerified?.(verified));
  }

  rejected(rejection: Rejection): void {
    if (this.#hooks.onRejected) shield(() => this.#hooks.onRejected?.(rejection));
    if (this.#hooks.logger) shield(() => this.#hooks.logger?.warn({ ...rejection }, "webhook refused"));
  }

  failed(error: WebhookKitError, endpoint?: string): void {
    const { code, message } = error;
    if (this.#hooks.onError) shield(() => this.#hooks.onError?.(error));
    if (this.#hooks.logger)
      shield(() => this.#hooks.logger?.error({ code, endpoint, reason: message }, "webhook failed"));
  }

  handled(endpoint: string, duplicate: boolean): void {
    if (this.#hooks.logger) shield(() => this.#hooks.logger?.info({ endpoint, duplicate }, "webhook handled"));
  }
}

function shield(tell: () => unknown): void {
  try {
    // A hook may be async: its rejection must not become an unhandled one.
    Promise.resolve(tell()).catch(() => undefined);
  } catch {
    // The answer stands, whatever an observer thinks of it.
  }
}
