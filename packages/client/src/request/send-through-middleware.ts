import { isUnannotated } from "../errors/is-unannotated.ts";
import { toOffersError } from "../errors/to-offers-error.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { Fetch } from "../http/fetch.ts";
import type { FetchResponse } from "../http/fetch-response.ts";
import type { OffersRequest } from "../http/offers-request.ts";
import type { OffersClientOptions } from "../options/options.ts";
import { readBody } from "../response/read-body.ts";
import type { ReceivedResponse } from "../response/received-response.ts";

type Send = (request: OffersRequest) => Promise<FetchResponse>;

/**
 * Looked up at every request, so that a global `fetch` that is replaced later is used. Deno sends a text body twice when a
 * kept connection breaks, also that of a POST (denoland/deno#35610); it sends a Blob once.
 */
const runtimeFetch: Fetch = (url, init) =>
  globalThis.fetch(url, init.body && "Deno" in globalThis ? { ...init, body: new Blob([init.body]) } : init);

/**
 * Sends a request through the middleware and reads the response body. Rejects with errors of this package only: what `fetch`
 * or the connection throws is wrapped as a `ConnectionError`, what middleware throws as `middleware_failed`.
 */
export async function sendThroughMiddleware(
  request: OffersRequest,
  { middleware = [], fetch = runtimeFetch }: Pick<OffersClientOptions, "middleware" | "fetch">,
  key: string,
): Promise<ReceivedResponse> {
  const send: Send = (request) => fetch(request.url, { ...request, redirect: "manual", cache: "no-store" });
  const wrap = (thrown: unknown, isOfMiddleware = false) => {
    if (isUnannotated(thrown)) return thrown;
    return isOfMiddleware
      ? toOffersError(thrown, key, UsageError, "middleware_failed")
      : toOffersError(thrown, key, undefined, undefined, fetch === runtimeFetch ? request.url : undefined);
  };
  let isInMiddleware = middleware.length > 0;
  try {
    const response = await (isInMiddleware
      ? middleware.reduceRight<Send>(
          (next, layer) => (request) => layer(request, next),
          (request) =>
            send(request).catch((thrown) => {
              throw wrap(thrown);
            }),
        )(request)
      : send(request));
    if (typeof response.text !== "function") throw new TypeError("the value returned is not a Response");
    isInMiddleware = false;
    return { response, text: await readBody(response, request.maxResponseBytes) };
  } catch (thrown) {
    throw wrap(thrown, isInMiddleware);
  }
}
