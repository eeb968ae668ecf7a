import { ConnectionError } from "../errors/exchange-errors.ts";
import type { OffersError } from "../errors/offers-error.ts";
import { isOffersError, type OffersFailure } from "../errors/offers-failure.ts";
import { redact } from "./redact.ts";

type Thrown = { code?: unknown; syscall?: unknown; errors?: Thrown[]; cause?: Thrown } | null | undefined;
type Kind = new (...given: ConstructorParameters<typeof OffersError>) => OffersError;

/** What OpenSSL and Node call a handshake that failed. Waiting mends no certificate. */
const tls = /CERT|SSL|TLS|EPROTO|UNABLE/;

/**
 * Codes that mean that no connection was made, so that nothing was sent (D-40). The last means so only of connecting:
 * reading from a connection that was made fails with it too.
 */
const notMade = /refused|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT|UNREACH connect$/i;

/**
 * What somebody else's code threw, as an error of ours. It is told anew, because its author may have put the key anywhere in
 * it (D-49). Its code is the innermost one, and its system call the one that failed with it: of a name with several
 * addresses, Node tells all tries in one error, and only they know the call, if they agree.
 *
 * @param code without one, it is read from what was thrown as from a `fetch` that failed
 */
export function toFailure(thrown: unknown, key: string, Kind: Kind = ConnectionError, code?: string): OffersFailure {
  if (isOffersError(thrown)) return thrown;
  let text = "";
  let signs: string[] = [];
  // As long as a cause that is its own is no endless story.
  for (let inner = thrown as Thrown; inner && text.length < 999; inner = inner.cause) {
    text += `; ${inner}`;
    if (inner.code)
      signs = [`${inner.code}`, `${[...new Set((inner.errors ?? [inner]).map((tried) => tried?.syscall))]}`];
  }
  const [innermost, syscall] = signs.map((sign) => redact(sign, key));
  const sign = signs.join(" ");
  const told =
    code ??
    (/bad port/.test(text)
      ? "port_blocked"
      : tls.test(sign)
        ? "tls_failed"
        : notMade.test(sign)
          ? "connection_not_made"
          : "connection_lost");
  const cause = Object.assign(new Error(redact(text.slice(2), key)), { code: innermost, syscall });
  return new Kind(`${told}${code ? "" : ", check baseUrl"}: ${cause.message}`, { code: told, cause }) as OffersFailure;
}
