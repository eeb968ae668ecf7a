import { type AnyOffersError, isOffersError } from "../errors/any-offers-error.ts";
import { unclaimed } from "../errors/unclaimed.ts";
import { UsageError } from "../errors/usage-error.ts";
import type { Fetch, FetchResponse } from "../fetch.ts";
import type { OffersRequest } from "../middleware.ts";
import type { OffersClientOptions } from "../options.ts";
import { readText } from "./read-text.ts";
import { toFailure } from "./to-failure.ts";

export interface Answer {
  readonly response: FetchResponse;
  /** Undefined when the body exceeds the request's `maxResponseBytes`. */
  readonly text: string | undefined;
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
  let ofFetch: AnyOffersError | undefined;
  const fail = (thrown: unknown): AnyOffersError =>
    isOurs(thrown)
      ? thrown
      : toFailure(thrown, key, undefined, undefined, fetch === runtimesFetch ? request.url : undefined);
  let isOver = !middleware[0];
  try {
    const response = await (isOver
      ? send(request)
      : middleware.reduceRight<Send>(
          (next, layer) => (request) => layer(request, next),
          (request) =>
            send(request).catch((thrown) => {
              ofFetch = fail(thrown);
              throw ofFetch;
            }),
        )(request));
    if (typeof response.text !== "function") throw new TypeError("what it gave back is no Response");
    isOver = true;
    return { response, text: await readText(response, request.maxResponseBytes) };
  } catch (thrown) {
    // Of this call: made below for middleware to see, or by a part of this package that doesn't know the call.
    if (thrown === ofFetch) throw thrown;
    throw isOver || isOurs(thrown) ? fail(thrown) : toFailure(thrown, key, UsageError, "middleware_failed");
  }
}

const isOurs = (thrown: unknown): thrown is AnyOffersError => isOffersError(thrown) && unclaimed in thrown;
