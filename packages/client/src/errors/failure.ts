import type { OperationName } from "../http.ts";
import { type Classification, classifyConnectionError, notSent } from "./connection-errors.ts";
import { type AnyOffersError, InvalidResponseError, isOffersError, UsageError } from "./error-classes.ts";
import type { ErrorClass, OffersError, OffersErrorDetails } from "./offers-error.ts";

/**
 * What the parts of a call throw: the class, message and details of the error that the caller gets. It never leaves the package:
 * `toOffersError` adds what only the call knows. So an `OffersError` that is thrown inside of a call is always somebody else's.
 */
export class Failure extends Error {
  readonly kind: ErrorClass;
  readonly details: OffersErrorDetails;

  constructor(kind: ErrorClass, message: string, details: OffersErrorDetails = {}) {
    super(message);
    this.kind = kind;
    this.details = details;
  }
}

/** A mistake of the caller. */
export const misuse = (code: UsageError["code"], message: string): Failure =>
  new Failure(UsageError, message, { code });

/** A call, as its errors show it. */
export interface FailedCall {
  readonly operation: OperationName | undefined;
  readonly host?: string | undefined;
  /** How many requests were sent. */
  attempts: number;
  /** The API key, to keep it out of texts; until it is known, the text that stands for it. */
  key: string;
  /** The error of the current attempt, if middleware has seen it. What it throws otherwise is not this call's. */
  own?: AnyOffersError | undefined;
}

const notWritable: Classification = [UsageError, "invalid_argument", "the argument could not be written as JSON"];

/**
 * The one door through which errors leave: makes the error of a failure, with the operation, the host and the number of
 * attempts. Anything else that was thrown is the argument's, which user code may have made (a getter, `toJSON`), and is wrapped.
 *
 * @param call left out for the errors of the constructor
 */
export function toOffersError(thrown: unknown, call?: FailedCall): AnyOffersError {
  const { operation, host, attempts = 0, key = redacted, own } = call ?? {};
  let error = thrown as OffersError;
  if (!own || thrown !== own) {
    const { kind, message, details } = wrap(thrown, key, notWritable);
    const at = kind === UsageError || !host ? "" : ` at ${host}`;
    error = new kind(`${operation ? `${operation}${at}: ` : ""}${message}`, { ...details, operation, attempts });
  }
  // The class has set the error's name by now. After an `await`, V8 adds the callers who await the call.
  Error.captureStackTrace?.(error, toOffersError);
  return error as AnyOffersError;
}

interface Thrown {
  readonly code?: unknown;
  readonly syscall?: unknown;
  readonly errors?: readonly (Thrown | undefined)[];
  readonly cause?: Thrown;
}

/**
 * Wraps an error that the user's code or the runtime threw. The cause is a copy without the API key, which the thrower may have
 * put anywhere (D-49), with the innermost `code` and its `syscall`. Node reports the attempts at several addresses as one
 * AggregateError whose members alone know the system call. An `OffersError` of another call is the cause itself, unchanged (D-97).
 *
 * @param known class, code and message; by default those of a failed `fetch`, from the error's codes and text
 */
export function wrap(thrown: unknown, key: string, known?: Classification): Failure {
  if (thrown instanceof Failure) return thrown;
  // Made by `validateResponses` for this call: an error of another call has an operation.
  if (thrown instanceof InvalidResponseError && !thrown.operation)
    return new Failure(InvalidResponseError, thrown.message, { ...thrown });
  let text = "";
  let innermost: Thrown = {};
  // The bound ends the loop for an error that is its own cause.
  for (let inner = thrown as Thrown | undefined; inner && text.length < 999; inner = inner.cause) {
    text += `; ${inner}`;
    if (inner.code && inner.code !== notSent) innermost = inner;
  }
  const { code, errors = [innermost] } = innermost;
  const syscalls = new Set(errors.map((tried) => tried?.syscall));
  const shown = (value: unknown) => redact(`${value ?? ""}`, key) || undefined;
  const cause = Object.assign(new Error(shown(text.slice(2))), { code: shown(code), syscall: shown([...syscalls]) });
  // Shows the user's line that threw, in middleware for instance.
  const { stack } = Object(thrown);
  if (typeof stack === "string") cause.stack = redact(stack, key);
  const [kind, knownCode, message] =
    known ?? classifyConnectionError(`${code} ${[...syscalls]}`, text, Object(thrown).code === notSent);
  // The code says more than the text of OpenSSL: "80D2…:error:0A00010B:SSL routines:…".
  const reason = (knownCode === "tls_failed" && cause.code) || cause.message.slice(0, 500);
  return new Failure(kind, `${message} (${reason})`, {
    code: knownCode,
    cause: isOffersError(thrown) ? thrown : cause,
  });
}

/** Replaces the key in texts, and stands for a key that is not known yet. */
export const redacted = "[redacted]";

/** Removes the API key from a text (D-49), also in its JSON encoding. */
export const redact = (text: string, key: string): string =>
  text.replaceAll(JSON.stringify(key).slice(1, -1), redacted).replaceAll(key, redacted);

/** The type of a value, for a message that must not show the value: `null`, `an array`, `a string`. */
export function kindOf(value: unknown): string {
  const kind = Array.isArray(value) ? "array" : typeof value;
  return value === undefined || value === null ? `${value}` : `${/^[aio]/.test(kind) ? "an" : "a"} ${kind}`;
}

/** What is wrong with a value of another type: `events must be an array, not null`. */
export const mustBe = (name: string, wanted: string, value: unknown): string =>
  `${name} must be ${wanted}, not ${kindOf(value)}`;
