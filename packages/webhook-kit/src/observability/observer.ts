import type { AnyWebhookKitError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { Rejection } from "../rejection.ts";
import type { Failure, Outcome } from "./outcome.ts";
import { printFailure } from "./print-failure.ts";

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
  onError?(error: AnyWebhookKitError): unknown;
  logger?: Logger;
}

/**
 * Calls hooks and logger, and shields the response from both. The logger gets codes and names, and of a failure the error itself
 * as `err`: what your own code threw is for you to read (D-49).
 */
export class Observer {
  readonly #hooks: Hooks;
  readonly #toleranceSeconds: number;

  constructor(hooks: Hooks, toleranceSeconds: number) {
    this.#hooks = hooks;
    this.#toleranceSeconds = toleranceSeconds;
  }

  /** What became of a request. */
  ended(outcome: Outcome | Failure, endpoint: string): void {
    if ("rejection" in outcome) this.rejected({ ...outcome.rejection, endpoint });
    else if ("error" in outcome) this.failed(outcome.error, endpoint);
    else if (this.#hooks.logger) {
      const { duplicate } = outcome;
      shield(() => this.#hooks.logger?.info({ endpoint, duplicate }, "webhook handled"));
    }
  }

  verified(verified: Verified): void {
    if (this.#hooks.onVerified) shield(() => this.#hooks.onVerified?.(verified));
    if (this.#hooks.logger) this.#warnOfSkew(verified);
  }

  /** A clock drifts for days before it costs a request: half the tolerance is the time to say so (D-59). */
  #warnOfSkew({ skewSeconds }: Verified): void {
    const toleranceSeconds = this.#toleranceSeconds;
    if (Math.abs(skewSeconds) <= toleranceSeconds / 2) return;
    shield(() => this.#hooks.logger?.warn({ skewSeconds, toleranceSeconds }, "clock skew above half the tolerance"));
  }

  rejected(rejection: Rejection): void {
    if (this.#hooks.onRejected) shield(() => this.#hooks.onRejected?.(rejection));
    if (this.#hooks.logger) shield(() => this.#hooks.logger?.warn({ ...rejection }, "webhook refused"));
  }

  /** A failure reaches `onError`, the logger, or else the console: no failure of the user's own code is silent. */
  failed(error: AnyWebhookKitError, endpoint?: string): void {
    const { onError, logger } = this.#hooks;
    const { code, message } = error;
    const print = () => printFailure(error, endpoint);
    if (onError) shield(() => this.#hooks.onError?.(error), logger ? undefined : print);
    if (logger)
      shield(
        () => logger.error({ code, endpoint, reason: message, err: error }, "webhook failed"),
        onError ? undefined : print,
      );
    if (!onError && !logger) print();
  }
}

/** The response stands, whatever an observer throws. */
function shield(call: () => unknown, recover: () => void = () => undefined): void {
  try {
    // A hook may be async: its rejection must not become an unhandled one.
    Promise.resolve(call()).catch(recover);
  } catch {
    recover();
  }
}
