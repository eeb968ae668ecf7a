import type { OperationName } from "../http.ts";
import { type Classification, connectionFailures, notSent } from "./connection-errors.ts";
import { type AnyOffersError, isOffersError, UsageError } from "./error-classes.ts";
import { OffersError } from "./offers-error.ts";

/**
 * Whether a part of this package threw it for the current call: it has no attempts, for `toOffersError` adds what only the call
 * knows. An error that has them is of another call, or has left this one.
 */
export const isFailure = (thrown: unknown): thrown is AnyOffersError =>
  thrown instanceof OffersError && thrown.attempts === undefined;

/** Throws the failure of a mistake of the caller, in an option unless `code` says otherwise. */
export function refuse(message: string, code: UsageError["code"] = "invalid_option"): never {
  throw new UsageError(message, { code });
}

/** The type of a value: its `typeof`, and for an object the class of the language or platform: `Object`, `Array`, `Null`. */
export const kindOf = (value: unknown): string =>
  typeof value === "object" ? Object.prototype.toString.call(value).slice(8, -1) : typeof value;

/** Refuses a value of another kind than `kind`, as `kindOf` names it, without showing it. */
export function check(name: string, value: unknown, kind: string, code?: UsageError["code"]): void {
  if (kindOf(value) !== kind) refuse(mustBe(name, kind, value), code);
}

/** What is wrong with a value of another type: `events must be of type Array, not Null`. */
export const mustBe = (name: string, kind: string, value: unknown): string =>
  `${name} must be of type ${kind}, not ${kindOf(value)}`;

/** Refuses what is not a list of values of this kind. */
export function checkEach(name: string, values: readonly unknown[], kind: string, code?: UsageError["code"]): void {
  check(name, values, "Array", code);
  // The name is made for a refusal only: with it, the check of an offer took a third longer.
  for (const [index, value] of values.entries())
    if (kindOf(value) !== kind) check(`${name}[${index}]`, value, kind, code);
}

/** A call, as its errors show it. */
export interface FailedCall {
  readonly operation?: OperationName | undefined;
  readonly host?: string | undefined;
  /** How many requests were sent. */
  attempts?: number;
  /** The API key, to keep it out of texts; until it is known, the text that stands for it. */
  key?: string;
  /** The error of the current attempt, which middleware may have seen. Any other that middleware throws is not this call's. */
  own?: AnyOffersError | undefined;
}

/** Replaces the key in texts, and stands for a key that is not known yet. */
export const redacted = "[redacted]";

/** What user code may throw while the options and arguments are read: a getter, `toJSON`. */
export const notReadable: Classification = [UsageError, "invalid_argument", "an argument could not be read"];

/**
 * The one door through which errors leave: adds the operation, the host and the number of attempts to the error of a failure.
 * The call's own error is returned as it is. Anything else was thrown by user code or the runtime, and is wrapped.
 *
 * @param known class, code and message of an error to wrap; by default those of a failed `fetch`
 */
export function toOffersError(thrown: unknown, call: FailedCall, known?: Classification): AnyOffersError {
  const { operation, host, attempts = 0, key = redacted, own } = call;
  const error = isFailure(thrown) || (own && thrown === own) ? (thrown as AnyOffersError) : wrap(thrown, key, known);
  if (isFailure(error)) {
    if (operation) error.message = `${operation}${attempts ? ` at ${host}` : ""}: ${error.message}`;
    Object.assign(error, { operation, attempts });
  }
  // The class has set the error's name by now. After an `await`, V8 adds the callers who await the call.
  Error.captureStackTrace?.(error, toOffersError);
  call.own = error;
  return error;
}

interface Thrown {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly errors?: readonly (Thrown | undefined)[];
  readonly cause?: Thrown;
  readonly stack?: unknown;
}

/**
 * The cause is a copy without the API key, which the thrower may have put anywhere (D-49), with the innermost `code` and its
 * `syscall`. Node reports the attempts at several addresses as one AggregateError whose members alone know the system call. An
 * `OffersError` of another call is the cause itself, unchanged (D-97).
 */
function wrap(thrown: unknown, key: string, known?: Classification): AnyOffersError {
  const outermost: Thrown = Object(thrown);
  const texts: unknown[] = [];
  let innermost: Thrown = {};
  // The bound ends the loop for an error that is its own cause.
  for (let inner = thrown as Thrown | undefined; inner && texts.length < 9; inner = inner.cause) {
    texts.push(inner);
    if (inner.code && inner.code !== notSent) innermost = inner;
  }
  const { errors = [innermost] } = innermost;
  const syscalls = [...new Set(errors.map((tried) => tried?.syscall))];
  const code = redact(innermost.code, key);
  const text = texts.join("; ");
  // Its stack shows the user's line that threw, in middleware for instance.
  const cause = Object.assign(new Error(redact(text, key)), {
    code,
    syscall: redact(syscalls, key),
    stack: redact(outermost.stack, key),
  });
  const searched = `${outermost.code} ${innermost.code} ${syscalls}\n${text}`;
  const [kind, knownCode, message] =
    known ??
    (connectionFailures.find(([, , , pattern]) => pattern.test(searched)) as (typeof connectionFailures)[number]);
  // The code says more than the text of OpenSSL: "80D2…:error:0A00010B:SSL routines:…".
  const reason = (/tls|SSL/.test(knownCode + code) && code) || cause.message;
  return new kind(`${message} (${reason})`, {
    code: knownCode,
    cause: isOffersError(thrown) ? thrown : cause,
  }) as AnyOffersError;
}

/** A text without the API key (D-49), also in its JSON encoding. Undefined for no text. */
export const redact = (text: unknown, key: string): string | undefined =>
  `${text ?? ""}`.replaceAll(JSON.stringify(key).slice(1, -1), redacted).replaceAll(key, redacted) || undefined;
