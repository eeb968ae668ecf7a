import type { AnyWebhookKitError } from "../errors.ts";
import type { Logger } from "../logger.ts";
import type { Rejection } from "../rejection.ts";
import type { Verified } from "../verified.ts";
import type { Outcome } from "./outcome.ts";
import { printFailure } from "./print-failure.ts";

interface Hooks {
  onVerified?(verified: Verified): unknown;
  onRejected?(rejection: Rejection): unknown;
  onError?(error: AnyWebhookKitError): unknown;
  logger?: Logger;
}

/**
 * Calls hooks and logger; what they throw changes no response. The logger gets codes and names, and the error of a failure as
 * `err` (D-49).
 */
export class Observer {
  readonly #hooks: Hooks;
  readonly #toleranceSeconds: number;

  constructor(hooks: Hooks, toleranceSeconds: number) {
    this.#hooks = hooks;
    this.#toleranceSeconds = toleranceSeconds;
  }

  /** The outcome of a request. */
  ended(outcome: Outcome, endpoint: string): void {
    if ("rejection" in outcome) this.rejected({ ...outcome.rejection, endpoint });
    else if ("error" in outcome) this.failed(outcome.error, endpoint);
    else if (this.#hooks.logger) {
      const { duplicate } = outcome;
      callSafely(() => this.#hooks.logger?.info({ endpoint, duplicate }, "webhook handled"));
    }
  }

  verified(verified: Verified): void {
    if (this.#hooks.onVerified) callSafely(() => this.#hooks.onVerified?.(verified));
    if (this.#hooks.logger) this.#warnOfSkew(verified);
  }

  /** A clock drifts for days before it costs a request: half the tolerance is the time to say so (D-59). */
  #warnOfSkew({ skewSeconds }: Verified): void {
    const toleranceSeconds = this.#toleranceSeconds;
    if (Math.abs(skewSeconds) <= toleranceSeconds / 2) return;
    callSafely(() =>
      this.#hooks.logger?.warn({ skewSeconds, toleranceSeconds }, "clock skew above half the tolerance"),
    );
  }

  rejected(rejection: Rejection): void {
    if (this.#hooks.onRejected) callSafely(() => this.#hooks.onRejected?.(rejection));
    if (this.#hooks.logger) callSafely(() => this.#hooks.logger?.warn({ ...rejection }, "webhook rejected"));
  }

  /** A failure reaches `onError`, the logger, or else the console: no failure of the user's own code is silent. */
  failed(error: AnyWebhookKitError, endpoint?: string): void {
    const { onError, logger } = this.#hooks;
    const { code, message } = error;
    const print = () => printFailure(error, endpoint);
    if (onError) callSafely(() => this.#hooks.onError?.(error), logger ? undefined : print);
    if (logger)
      callSafely(
        () => logger.error({ code, endpoint, reason: message, err: error }, "webhook failed"),
        onError ? undefined : print,
      );
    if (!onError && !logger) print();
  }
}

function callSafely(call: () => unknown, recover: () => void = () => undefined): void {
  try {
    // A hook may be async: its rejection must not become an unhandled one.
    Promise.resolve(call()).catch(recover);
  } catch {
    recover();
  }
}
