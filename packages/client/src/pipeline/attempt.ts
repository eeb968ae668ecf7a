import { UsageError } from "../errors/usage-error.ts";
import type { Fetch, FetchResponse } from "../fetch.ts";
import type { OffersRequest } from "../middleware.ts";
import type { OffersClientOptions } from "../options.ts";
import { toFailure } from "./to-failure.ts";

export interface Answer {
  readonly response: FetchResponse;
  readonly text: string;
}

type Send = (request: OffersRequest) => Promise<FetchResponse>;

/**
 * Looked up now: a fetch that was replaced after this client was made is the one that counts. Deno's sends a text twice if a
 * connection that it kept breaks, be it a creation's (denoland/deno#35610); a Blob it sends once.
 */
const runtimesFetch: Fetch = (url, init) =>
  globalThis.fetch(url, init.body && "Deno" in globalThis ? { ...init, body: new Blob([init.body]) } : init);

/** One request, through the middleware, to the end of the answer's body. Throws errors of ours only. */
export async function attempt(
  request: OffersRequest,
  { middleware = [], fetch = runtimesFetch }: Pick<OffersClientOptions, "middleware" | "fetch">,
  key: string,
): Promise<Answer> {
  const send: Send = (request) => fetch(request.url, { ...request, redirect: "manual", cache: "no-store" });
  let isOver = !middleware[0];
  try {
    const response = await middleware.reduceRight<Send>(
      (next, layer) => (request) => layer(request, next),
      isOver ? send : (request) => send(request).catch((thrown) => Promise.reject(toFailure(thrown, key))),
    )(request);
    const reading = response.text();
    isOver = true;
    return { response, text: await reading };
  } catch (thrown) {
    throw isOver ? toFailure(thrown, key) : toFailure(thrown, key, UsageError, "middleware_failed");
  }
}
