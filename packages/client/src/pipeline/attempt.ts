import { ConnectionError } from "../errors/exchange-errors.ts";
import { isOffersError } from "../errors/offers-failure.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { Fetch, FetchResponse } from "../fetch.ts";
import type { Middleware, OffersRequest } from "../middleware.ts";
import { type Redact, retell } from "./redact.ts";

export interface Answer {
  readonly response: FetchResponse;
  readonly text: string;
}

/** Codes that mean that no connection was made, so that nothing was sent (D-40). */
const notMade = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT|ConnectionRefused)$/;

/** Codes that mean so only of connecting: reading from a connection that was made fails with them too. */
const unreachable = /^(EHOSTUNREACH|ENETUNREACH)$/;

const neverLeft = ({ code = "", syscall }: ReturnType<typeof retell>): boolean =>
  notMade.test(code) || (unreachable.test(code) && syscall === "connect");

/** One request, through the middleware, to the end of the answer's body. Throws errors of ours only. */
export async function attempt(
  request: OffersRequest,
  { middleware = [], fetch }: { middleware?: readonly Middleware[] | undefined; fetch?: Fetch | undefined },
  redact: Redact,
): Promise<Answer> {
  const toConnectionError = (thrown: unknown): ConnectionError => {
    const cause = retell(thrown, redact);
    return new ConnectionError(
      neverLeft(cause) ? "connection_not_made" : "connection_lost",
      `No whole answer: ${cause.message}. Is baseUrl right, and the service up?`,
      { cause },
    );
  };
  const perform = middleware.reduceRight<(request: OffersRequest) => Promise<FetchResponse>>(
    (next, layer) => (request) => layer(request, next),
    async (request) => {
      // Looked up now: a fetch that was replaced after this client was made is the one that counts.
      const send = fetch ?? globalThis.fetch;
      try {
        return await send(request.url, { ...request, redirect: "manual", cache: "no-store" });
      } catch (thrown) {
        throw toConnectionError(thrown);
      }
    },
  );
  let response: FetchResponse;
  try {
    response = await perform(request);
  } catch (thrown) {
    if (isOffersError(thrown)) throw thrown;
    throw new UsageError("middleware_failed", "A middleware threw; see cause", { cause: retell(thrown, redact) });
  }
  try {
    return { response, text: await response.text() };
  } catch (thrown) {
    throw toConnectionError(thrown);
  }
}
