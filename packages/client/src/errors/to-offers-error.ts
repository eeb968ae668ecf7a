import { type AnyOffersError, isOffersError } from "./any-offers-error.ts";
import { classifyConnectionError } from "./classify-connection-error.ts";
import { ConnectionError } from "./no-response-errors.ts";
import type { ErrorClass } from "./offers-error.ts";
import { redact } from "./redact.ts";
import { unannotated } from "./unannotated.ts";

type Thrown = { code?: unknown; syscall?: unknown; errors?: Thrown[]; cause?: Thrown } | null | undefined;

/** Messages of the classes other than ConnectionError, by code. */
const messages: Record<string, string> = {
  middleware_failed: "the middleware failed; see cause",
  api_key_provider_failed: "the apiKey function failed; see cause",
  invalid_argument: "the argument could not be written as JSON",
};

/**
 * Wraps an error that the user's code or the runtime threw. The cause is a copy without the API key, which the thrower may have
 * put anywhere (D-49), with the innermost `code` and its `syscall`. Node reports the attempts at several addresses as one
 * AggregateError whose members alone know the system call. An `OffersError` of another call is the cause itself, unchanged (D-97).
 *
 * @param code by default that of a failed `fetch`, from the error's codes and text
 * @param url of the request, when there is one
 */
export function toOffersError(
  thrown: unknown,
  key: string,
  ErrorClass: ErrorClass = ConnectionError,
  code?: string,
  url?: string,
): AnyOffersError {
  let text = "";
  let codes: string[] = [];
  // The bound ends the loop for an error that is its own cause.
  for (let inner = thrown as Thrown; inner && text.length < 999; inner = inner.cause) {
    text += `; ${inner}`;
    if (inner.code && inner.code !== "REQUEST_NOT_SENT")
      codes = [`${inner.code}`, `${[...new Set((inner.errors ?? [inner]).map((tried) => tried?.syscall))]}`];
  }
  const [innermost, syscall] = codes.map((each) => redact(each, key));
  const causeText = redact(text.slice(2), key);
  const [knownCode, message] = code
    ? [code, messages[code]]
    : classifyConnectionError(codes.join(" "), text, Object(thrown).code === "REQUEST_NOT_SENT", url);
  const cause = Object.assign(new Error(causeText), { code: innermost, syscall });
  // Shows the user's line that threw, in middleware for instance.
  const { stack } = Object(thrown);
  if (typeof stack === "string") cause.stack = redact(stack, key);
  return new ErrorClass(`${message} (${causeText.slice(0, 500)})`, {
    code: knownCode,
    cause: isOffersError(thrown) ? thrown : cause,
    [unannotated]: true,
  }) as AnyOffersError;
}
