import { errorDocsUrl } from "@offers/contract/decisions";
import { endpoints, findRoute } from "../endpoints/endpoints.ts";
import type { AnyWebhookKitError } from "../errors/errors.ts";
import type { Rejection, RejectionFacts } from "../errors/rejection.ts";
import type { StripBasePath } from "../http/base-path.ts";
import { createRejection } from "../http/rejected.ts";
import type { WebhookResponse } from "../http/response.ts";
import type { Logger, VerifyOptions } from "../options/options.ts";
import type { Verified } from "../signature/verify-signature.ts";
import { type Outcome, wrapInternalError } from "./outcome.ts";

type Hooks = Pick<VerifyOptions, "onVerified" | "onRejected" | "onError" | "logger"> & { readonly secret: unknown };

/** The minimum time between two printed rejections with the same code. */
const printIntervalMs = 60_000;
const printAdvice =
  "\nEach code is printed at most once a minute. To get every rejection instead, pass onRejected or logger.";

const testAuthName = endpoints["/test/auth"].name;

/** The maximum time between a verified TestAuth and the forged request with which the service then checks the receiver (D-41). */
const forgedCheckMs = 5_000;

/**
 * Prints at most one rejection per code and minute and counts the others, so that no sender can flood the console. A line contains only the
 * kit's own words, an operation's name and a number of seconds.
 */
export class RejectionPrinter {
  readonly #lastPrinted = new Map<string, { readonly printedAt: number; suppressedCount: number }>();

  #lastTest = { at: Number.NaN, receiver: "" };

  /** Records a verified TestAuth. The service's next request may be forged on purpose. @param receiver its path and secret */
  expectForgedCheck(receiver: string, now: number): void {
    this.#lastTest = { at: now, receiver };
  }

  /** Whether a mismatch in TestAuth is the service's check. Only the first one after a verified TestAuth is, so that others are printed. */
  takeForgedCheck(receiver: string, now: number): boolean {
    const { at, receiver: testedReceiver } = this.#lastTest;
    if (receiver !== testedReceiver) return false;
    this.#lastTest = { at: Number.NaN, receiver: "" };
    return Math.abs(now - at) <= forgedCheckMs;
  }

  print({ code, message, endpoint, docsUrl }: Rejection, now: number): void {
    const location = endpoint === undefined ? "" : ` in ${endpoint}`;
    this.printLine(code, `webhook rejected (${code})${location}: ${message} ${docsUrl}`, now, printAdvice);
  }

  /** @param advice printed after the first line of this printer */
  printLine(code: string, line: string, now: number, advice = ""): void {
    const last = this.#lastPrinted.get(code);
    // Negated, so that with an invalid clock (NaN) each code is printed only once.
    if (last && !(Math.abs(now - last.printedAt) >= printIntervalMs)) {
      last.suppressedCount += 1;
      return;
    }
    const suppressed = last?.suppressedCount ? ` (${last.suppressedCount} more were not printed)` : "";
    console.warn(`${line}${suppressed}${this.#lastPrinted.size === 0 ? advice : ""}`);
    this.#lastPrinted.set(code, { printedAt: now, suppressedCount: 0 });
  }
}

/**
 * Calls hooks and the logger, whose errors do not change a response. The logger receives codes and names, and a failure's error as `err`.
 */
export class Observer {
  readonly #hooks: Hooks;
  readonly #toleranceSeconds: number;
  readonly #now: () => Date;
  readonly #printer: RejectionPrinter;
  #hasReportedConversions = false;

  constructor(hooks: Hooks, toleranceSeconds: number, now: () => Date, printer: RejectionPrinter) {
    this.#hooks = hooks;
    this.#toleranceSeconds = toleranceSeconds;
    this.#now = now;
    this.#printer = printer;
  }

  /** Reports a request's outcome. @param target the request's path, including the mount path */
  reportOutcome(outcome: Outcome, endpoint: string, target: string): void {
    if ("rejection" in outcome) this.reportRejection({ ...outcome.rejection, endpoint }, target);
    else if ("error" in outcome) this.reportFailure(outcome.error, endpoint);
    else if ("dropped" in outcome)
      this.warnOnce(
        "event_dropped",
        `${endpoint} was acknowledged and dropped, and will not be sent again. Pass ${outcome.dropped} or onEvent.`,
      );
    else this.#log((logger) => logger.info({ endpoint, duplicate: outcome.duplicate }, "webhook handled"));
  }

  reportVerified(verified: Verified, endpoint?: string, target = ""): void {
    if (endpoint === testAuthName) this.#printer.expectForgedCheck(this.#describeReceiver(target), this.#readClock());
    if (this.#hooks.onVerified) callSafely(() => this.#hooks.onVerified?.(verified));
    const { skewSeconds } = verified;
    const toleranceSeconds = this.#toleranceSeconds;
    // Warn early, because a clock usually drifts for days before requests are rejected (D-59).
    if (!(Math.abs(skewSeconds) > toleranceSeconds / 2)) return;
    this.#log((logger) => logger.warn({ skewSeconds, toleranceSeconds }, "clock skew above half the tolerance"));
    if (!this.#hooks.logger && !this.#hooks.onVerified)
      callSafely(() =>
        this.#printer.printLine("clock_skew", describeSkew(skewSeconds, toleranceSeconds), this.#now().getTime()),
      );
  }

  reportRejection(facts: RejectionFacts, target = ""): void {
    const now = this.#readClock();
    const isForgedCheck =
      facts.code === "signature_mismatch" &&
      facts.endpoint === testAuthName &&
      this.#printer.takeForgedCheck(this.#describeReceiver(target), now);
    const message = isForgedCheck ? forgedCheckMessage : facts.message;
    const rejection = { ...facts, message, docsUrl: `${errorDocsUrl}${facts.code}` };
    if (this.#hooks.onRejected) callSafely(() => this.#hooks.onRejected?.(rejection));
    this.#log((logger) => logger.warn({ ...rejection }, "webhook rejected"));
    if (!this.#hooks.onRejected && !this.#hooks.logger && !isForgedCheck)
      callSafely(() => this.#printer.print(rejection, now));
  }

  /**
   * Reports that a payload was accepted although it differs from the contract. Logged once per receiver, because the sender's next payloads
   * will be similar.
   *
   * @param paths the paths of the values, never the values
   */
  reportConversions(paths: readonly string[], endpoint: string): void {
    if (paths.length === 0 || this.#hasReportedConversions) return;
    this.#hasReportedConversions = true;
    this.#log((logger) => logger.warn({ code: "unexpected_payload_shape", endpoint, paths }, unexpectedShape));
  }

  /** Reports a request to an unknown path that no other middleware handles, and returns the response. */
  rejectUnknownPath(target: string, stripBasePath: StripBasePath): WebhookResponse {
    return this.#reportUnknownPath(countSegmentsBefore(target, stripBasePath));
  }

  /**
   * Reports a request that other middleware got and that ended with 404, if its path ends like a webhook's.
   *
   * @param path the path below the mount path
   */
  reportUnhandledPath(path: string): void {
    const count = countSegmentsBefore(path, (rest) => rest);
    if (count > 0) this.#reportUnknownPath(count);
  }

  /** Suggests how to mount the receiver (D-63). Does not show the path, because the sender chose it. */
  #reportUnknownPath(segmentsBefore: number): WebhookResponse {
    const { response, rejection } = createRejection("unknown_path");
    const segments = segmentsBefore === 1 ? "1 segment" : `${segmentsBefore} segments`;
    const hint =
      segmentsBefore > 0
        ? `The request's path has ${segments} before basePath, such as an API's stage or a custom domain's base path. Include that prefix in basePath, or in Express in the mount path.`
        : "Is basePath the path of the registered base URL, as this server receives it?";
    this.reportRejection({ ...rejection, message: `${rejection.message} ${hint}` });
    return response;
  }

  /** Reports options that will lose events later but do not prevent startup. Without a logger, the warning goes to the console. */
  warn(code: string, message: string): void {
    const { logger } = this.#hooks;
    if (logger) this.#log(() => logger.warn({ code }, message));
    else console.warn(`${message} (${code})`);
  }

  /** Like {@link warn}, but at most once per process, because a program may create a receiver for each request. */
  warnOnce(code: string, message: string): void {
    if (shownWarnings.has(message)) return;
    shownWarnings.add(message);
    this.warn(code, message);
  }

  /** Reports a failure that follows the outcome, for instance when `next` throws. */
  reportCrash(cause: unknown): void {
    this.reportFailure(wrapInternalError(cause));
  }

  /**
   * Reports a failure to `onError` and the logger. Without them, prints it to the console, so that failures in the user's code are never
   * silent.
   */
  reportFailure(error: AnyWebhookKitError, endpoint?: string): void {
    const { onError, logger } = this.#hooks;
    const { code, message } = error;
    const print = () => printFailure(error, endpoint);
    if (!onError && !logger) print();
    // If `onError` or the logger throws, the failure is printed, unless the other of the two also receives it.
    const recover = onError && logger ? undefined : print;
    if (onError) callSafely(() => this.#hooks.onError?.(error), recover);
    this.#log((target) => target.error({ code, endpoint, message, err: error }, "webhook failed"), recover);
  }

  /** Distinguishes the receivers that share a printer: the tenants of one receiver, and the calls of `parseWebhook`. */
  #describeReceiver = (target: string): string => `${target} ${String(this.#hooks.secret)}`;

  #readClock(): number {
    try {
      return this.#now().getTime();
    } catch {
      return Number.NaN;
    }
  }

  #log(write: (logger: Logger) => void, recover?: () => void): void {
    const { logger } = this.#hooks;
    if (logger) callSafely(() => write(logger), recover);
  }
}

const describeSkew = (skewSeconds: number, toleranceSeconds: number): string =>
  `webhook accepted, but its timestamp is ${Math.abs(skewSeconds)} s ${skewSeconds > 0 ? "ahead of" : "behind"} this server's clock; more than ${toleranceSeconds} s are rejected (clock_skew)`;

const shownWarnings = new Set<string>();
const forgedCheckMessage =
  "No secret matches, as expected: the service sends a forged request after a verified TestAuth.";

const maxSegmentsBefore = 5;

/** Counts the path segments before the base path, up to a maximum. Returns 0 if no endpoint matches the rest of the path. */
function countSegmentsBefore(target: string, stripBasePath: StripBasePath): number {
  let [path = ""] = target.split("?", 1);
  for (let count = 1; count <= maxSegmentsBefore; count += 1) {
    path = path.slice(Math.max(0, path.indexOf("/", 1)));
    if (findRoute(stripBasePath(path))) return count;
  }
  return 0;
}

const unexpectedShape =
  "a payload differs from the contract, so the values at these paths were converted (logged once)";

function callSafely(call: () => unknown, recover: () => void = () => undefined): void {
  try {
    // A hook may be async, and its rejection must not go unhandled.
    Promise.resolve(call()).catch(recover);
  } catch {
    recover();
  }
}

/**
 * Prints a failure to the console. Prints the cause separately, because not every runtime prints the cause of an error after its stack.
 */
function printFailure(error: AnyWebhookKitError, endpoint = "the request check"): void {
  const line = `webhook failed (${error.code}) in ${endpoint}:`;
  if ("cause" in error) console.error(line, error.message, error.cause);
  else console.error(line, error);
}
