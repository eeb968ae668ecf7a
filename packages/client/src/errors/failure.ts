import { errorDocsUrl, oldestNode } from "@offers/contract/decisions";
import { isControlFlow } from "@offers/contract/foreign-objects";
import { notSentCode, type OperationName } from "../http.ts";
import { type Classification, classifyConnectionFailure } from "./connection-errors.ts";
import { type AnyOffersError, isOffersError, UsageError } from "./error-classes.ts";
import { OffersError } from "./offers-error.ts";

/** The details of a call that its errors need. */
export interface CallContext {
  readonly operation?: OperationName | undefined;
  /** Host and port only: the path of `baseUrl` may be secret. */
  readonly host?: string | undefined;
  /** How many requests were sent. */
  attempts?: number;
  /** The API key, which errors must not contain; `redacted` until it is known. */
  key?: string;
  /** The current attempt's error, which middleware may have caught and thrown again. */
  attemptError?: AnyOffersError | undefined;
}

/** The replacement for the key in strings, and the value of `key` until the key is known. */
export const redacted = "[redacted]";

/**
 * Returns whether this package threw the error during the current call. `toOffersError` adds `attempts` to each error; an error with
 * `attempts` belongs to another call or was already returned to the caller.
 */
export const isFreshError = (thrown: unknown): thrown is AnyOffersError =>
  thrown instanceof OffersError && thrown.attempts === undefined;

/**
 * Prepares an error for the caller, unless the error belongs to the framework. Wraps an error that user code or the runtime threw, and adds
 * the operation, the host, the number of attempts and the URL of the page about its code. Preparing an error again changes only its stack.
 *
 * @param classification what a wrapped error means; by default, that `fetch` failed
 */
export function toOffersError(thrown: unknown, context: CallContext, classification?: Classification): AnyOffersError {
  if (isControlFlow(thrown)) return thrown as never;
  const { operation, attempts = 0, attemptError } = context;
  const isOwnError = isFreshError(thrown) || (attemptError && thrown === attemptError);
  const error = isOwnError ? (thrown as AnyOffersError) : wrapError(thrown, context.key ?? redacted, classification);
  if (isFreshError(error)) {
    if (operation) error.message = `${operation}${attempts ? ` at ${context.host}` : ""}: ${error.message}`;
    // The URL leads to what the code means and what to do about it (D-113).
    Object.assign(error, { operation, attempts, docsUrl: `${errorDocsUrl}${error.code}` });
  }
  // Captured only now, when the name is set and V8 can tell which line awaits the call.
  Error.captureStackTrace?.(error, toOffersError);
  context.attemptError = error;
  return error;
}

/**
 * The meaning of an error that user code, such as a getter or `toJSON`, throws while options and arguments are read. Node 18 has no global
 * `crypto`, which a creation needs (D-141).
 */
export const unreadableArgument: Classification = {
  type: UsageError,
  code: "invalid_argument",
  message: `an argument could not be read${"crypto" in globalThis ? "" : `; this package needs Node ${oldestNode}`}`,
};

interface Thrown {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly errors?: readonly (Thrown | undefined)[];
  readonly cause?: Thrown;
  readonly stack?: unknown;
}

/**
 * Wraps an error. The cause is a copy without the API key, which may be anywhere in the original (D-49). The copy has the innermost `code`
 * and its `syscall`. If Node tries several addresses, it throws an AggregateError, and only its members have a `syscall`. An `OffersError`
 * from a different call becomes the cause unchanged (D-97).
 */
function wrapError(thrown: unknown, key: string, classification?: Classification): AnyOffersError {
  const errors = collectCauses(thrown);
  const messages = errors.join("; ");
  const innermost = errors.findLast(({ code }) => code && code !== notSentCode) ?? {};
  const addressErrors = innermost.errors ?? [innermost];
  const syscalls = [...new Set(addressErrors.map((error) => error?.syscall))];
  const outermost: Thrown = Object(thrown);
  const systemCode = redact(innermost.code, key);
  const cause = Object.assign(new Error(redact(messages, key)), {
    code: systemCode,
    syscall: redact(syscalls, key),
    // The original stack, which shows the line that threw, for instance in the user's middleware.
    stack: redact(outermost.stack, key),
  });
  const { type, code, message } =
    classification ?? classifyConnectionFailure(`${outermost.code} ${innermost.code} ${syscalls}\n${messages}`);
  // The code is easier to understand than OpenSSL's message: "80D2…:error:0A00010B:SSL routines:…".
  const isTls = /^tls|SSL/.test(`${code} ${systemCode}`);
  const reason = (isTls && systemCode) || cause.message;
  return new type(`${message} (${reason})`, {
    code,
    cause: isOffersError(thrown) ? thrown : cause,
  }) as AnyOffersError;
}

/** Returns the error and its causes, at most nine in total. Without the limit, an error that is its own cause would loop forever. */
function collectCauses(thrown: unknown): Thrown[] {
  const causes: Thrown[] = [];
  for (let cause = thrown as Thrown | undefined; cause && causes.length < 9; cause = cause.cause) causes.push(cause);
  return causes;
}

/** Replaces the API key in a string (D-49), including its JSON-encoded form. Returns undefined if the string is empty or absent. */
export const redact = (text: unknown, key: string): string | undefined =>
  `${text ?? ""}`.replaceAll(JSON.stringify(key).slice(1, -1), redacted).replaceAll(key, redacted) || undefined;
