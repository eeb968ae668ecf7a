import { errorDocsUrl } from "@offers/contract/decisions";
import { findRoute } from "../endpoints/endpoints.ts";
import type { AnyWebhookKitError } from "../errors/errors.ts";
import type { Rejection, RejectionFacts } from "../errors/rejection.ts";
import type { StripBasePath } from "../http/base-path.ts";
import { rejectRequest } from "../http/rejected.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { Logger, VerifyOptions } from "../options/options.ts";
import type { Verified } from "../signature/verify-signature.ts";
import { type Outcome, unexpected } from "./outcome.ts";

type Hooks = Pick<VerifyOptions, "onVerified" | "onRejected" | "onError" | "logger">;

const printIntervalMs = 60_000;
const printAdvice =
  "\nEach code is printed at most once a minute. To get every rejection instead, pass onRejected or logger.";

/**
 * Prints the first rejection with each code in a minute and counts the others, so that no sender can flood the console. A line contains the
 * kit's own words, an operation's name and a number of seconds; nothing else from the request.
 */
export class RejectionPrinter {
  readonly #printed = new Map<string, { readonly at: number; more: number }>();

  print({ code, message, endpoint, docsUrl }: Rejection, at: number): void {
    const last = this.#printed.get(code);
    // Negated, so that an invalid clock (NaN) prints once.
    if (last && !(Math.abs(at - last.at) >= printIntervalMs)) {
      last.more += 1;
      return;
    }
    const advice = this.#printed.size === 0 ? printAdvice : "";
    this.#printed.set(code, { at, more: 0 });
    const where = endpoint === undefined ? "" : ` in ${endpoint}`;
    const more = last?.more ? ` (${last.more} more were not printed)` : "";
    console.warn(`webhook rejected (${code})${where}: ${message} ${docsUrl}${more}${advice}`);
  }
}

/**
 * Calls hooks and the logger; an error that they throw changes no response. The logger receives codes and names, and a failure's error as
 * `err`.
 */
export class Observer {
  readonly #hooks: Hooks;
  readonly #toleranceSeconds: number;
  readonly #now: () => Date;
  readonly #printer: RejectionPrinter;
  #hasConverted = false;

  constructor(hooks: Hooks, toleranceSeconds: number, now: () => Date, printer: RejectionPrinter) {
    this.#hooks = hooks;
    this.#toleranceSeconds = toleranceSeconds;
    this.#now = now;
    this.#printer = printer;
  }

  /** Reports a request's outcome. */
  ended(outcome: Outcome, endpoint: string): void {
    if ("rejection" in outcome) this.rejected({ ...outcome.rejection, endpoint });
    else if ("error" in outcome) this.failed(outcome.error, endpoint);
    else this.#log((logger) => logger.info({ endpoint, duplicate: outcome.duplicate }, "webhook handled"));
  }

  verified(verified: Verified): void {
    if (this.#hooks.onVerified) callSafely(() => this.#hooks.onVerified?.(verified));
    const { skewSeconds } = verified;
    const toleranceSeconds = this.#toleranceSeconds;
    // A clock drifts for days before requests are rejected (D-59).
    if (Math.abs(skewSeconds) > toleranceSeconds / 2)
      this.#log((logger) => logger.warn({ skewSeconds, toleranceSeconds }, "clock skew above half the tolerance"));
  }

  rejected(facts: RejectionFacts): void {
    const rejection = { ...facts, docsUrl: `${errorDocsUrl}${facts.code}` };
    if (this.#hooks.onRejected) callSafely(() => this.#hooks.onRejected?.(rejection));
    this.#log((logger) => logger.warn({ ...rejection }, "webhook rejected"));
    if (!this.#hooks.onRejected && !this.#hooks.logger)
      callSafely(() => this.#printer.print(rejection, this.#now().getTime()));
  }

  /**
   * Reports that a payload was accepted although it differs from the contract. Logged once per receiver, because the sender's next payloads
   * will be similar.
   *
   * @param paths the paths of the values, never the values
   */
  converted(paths: readonly string[], endpoint: string): void {
    if (paths.length === 0 || this.#hasConverted) return;
    this.#hasConverted = true;
    this.#log((logger) => logger.warn({ code: "unexpected_payload_shape", endpoint, paths }, unexpectedShape));
  }

  /** Returns the response for an unknown path if there is no next middleware. The path comes from the sender and is not shown. */
  unknownPath(target: string, stripBasePath: StripBasePath): WebhookResponse {
    // D-63
    const { response, rejection } = rejectRequest("unknown_path");
    const count = segmentsBefore(target, stripBasePath);
    const hint =
      count > 0
        ? `The request's path has ${count === 1 ? "1 segment" : `${count} segments`} before basePath, such as an API's stage or a custom domain's base path. Prefix basePath with the same.`
        : "Is basePath the path of the registered base URL, as this server receives it?";
    const message = `${rejection.message} ${hint}`;
    this.rejected({ ...rejection, message });
    return response;
  }

  /**
   * Reports a mistake in the options that will lose events later but does not prevent startup. Without a logger, it goes to the console.
   */
  warned(code: string, message: string): void {
    const { logger } = this.#hooks;
    if (logger) this.#log((to) => to.warn({ code }, message));
    else console.warn(`${message} (${code})`);
  }

  /** Reports a failure after the outcome, for instance of `next`. */
  crashed(cause: unknown): void {
    this.failed(unexpected(cause));
  }

  /**
   * Reports a failure to `onError` and the logger, or otherwise to the console: failures in the user's code are never silent.
   */
  failed(error: AnyWebhookKitError, endpoint?: string): void {
    const { onError, logger } = this.#hooks;
    const { code, message } = error;
    const print = () => printFailure(error, endpoint);
    if (!onError && !logger) print();
    // If one of the two hooks throws, the other still receives the failure.
    const recover = onError && logger ? undefined : print;
    if (onError) callSafely(() => this.#hooks.onError?.(error), recover);
    this.#log((to) => to.error({ code, endpoint, message, err: error }, "webhook failed"), recover);
  }

  #log(write: (logger: Logger) => void, recover?: () => void): void {
    const { logger } = this.#hooks;
    if (logger) callSafely(() => write(logger), recover);
  }
}

const maxSegmentsBefore = 5;

/** Counts the segments before an endpoint's base path; 0 if there is no endpoint. */
function segmentsBefore(target: string, stripBasePath: StripBasePath): number {
  let [rest = ""] = target.split("?", 1);
  for (let count = 1; count <= maxSegmentsBefore; count += 1) {
    rest = rest.slice(Math.max(0, rest.indexOf("/", 1)));
    if (findRoute(stripBasePath(rest))) return count;
  }
  return 0;
}

const unexpectedShape =
  "a payload differs from the contract and was accepted: the values at these paths were converted; logged once";

function callSafely(call: () => unknown, recover: () => void = () => undefined): void {
  try {
    // A hook may be async: its rejection must not become an unhandled one.
    Promise.resolve(call()).catch(recover);
  } catch {
    recover();
  }
}

/**
 * Prints failures if there is neither `logger` nor `onError`. The cause is printed separately: not every runtime's console prints the cause
 * after an error's stack.
 */
function printFailure(error: AnyWebhookKitError, endpoint = "the request check"): void {
  const line = `webhook failed (${error.code}) in ${endpoint}:`;
  if ("cause" in error) console.error(line, error.message, error.cause);
  else console.error(line, error);
}
