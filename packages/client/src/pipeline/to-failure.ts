import { type AnyOffersError, isOffersError } from "../errors/any-offers-error.ts";
import { ConnectionError } from "../errors/no-response-errors.ts";
import type { OffersError } from "../errors/offers-error.ts";
import { connectionFault } from "./connection-fault.ts";
import { redact } from "./redact.ts";

type Thrown = { code?: unknown; syscall?: unknown; errors?: Thrown[]; cause?: Thrown } | null | undefined;
type Kind = new (...given: ConstructorParameters<typeof OffersError>) => OffersError;

/** What other kinds than a ConnectionError say, by their code. */
const sayings: Record<string, string> = {
  middleware_failed: "the middleware failed; see cause",
  api_key_provider_failed: "the apiKey function failed; see cause",
  invalid_argument: "what was given could not be written",
};

/**
 * What somebody else's code threw, as an error of ours. It is written in other words, because its author may have put the key
 * anywhere in it (D-49). Its code is the innermost one, and its system call the one that failed with it: of a name with
 * several addresses, Node has all tries in one error, and only they know the call, if they agree. An error of ours belongs
 * to another call: it is the cause, untouched (D-97).
 *
 * @param code without one, it is read from what was thrown as from a `fetch` that failed
 * @param url of the request, when there is one
 */
export function toFailure(
  thrown: unknown,
  key: string,
  Kind: Kind = ConnectionError,
  code?: string,
  url?: string,
): AnyOffersError {
  let text = "";
  let signs: string[] = [];
  // As long as a cause that is its own is no endless story.
  for (let inner = thrown as Thrown; inner && text.length < 999; inner = inner.cause) {
    text += `; ${inner}`;
    if (inner.code && inner.code !== "REQUEST_NOT_SENT")
      signs = [`${inner.code}`, `${[...new Set((inner.errors ?? [inner]).map((tried) => tried?.syscall))]}`];
  }
  const [innermost, syscall] = signs.map((sign) => redact(sign, key));
  const said = redact(text.slice(2), key);
  const [told, fault] = code
    ? [code, sayings[code]]
    : connectionFault(signs.join(" "), text, Object(thrown).code === "REQUEST_NOT_SENT", url);
  const cause = Object.assign(new Error(said), { code: innermost, syscall });
  // Where it was thrown: a line of the user's, in middleware for instance.
  const { stack } = Object(thrown);
  if (typeof stack === "string") cause.stack = redact(stack, key);
  return new Kind(`${fault} (${said.slice(0, 500)})`, {
    code: told,
    cause: isOffersError(thrown) ? thrown : cause,
  }) as AnyOffersError;
}
