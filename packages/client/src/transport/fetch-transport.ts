// `#transport` outside Node. It imports no class of this package, because bundles contain it once and the entries several times.
import type { Fetch, Transport } from "../http.ts";

/**
 * Looks up the runtime's `fetch` for every request, in case it is replaced later. Deno sends a string body again when a reused connection
 * breaks, even for a POST (denoland/deno#35610). It does not resend a Blob.
 */
export const runtimeFetch: Fetch = (url, init) =>
  globalThis.fetch(url, init.body && "Deno" in globalThis ? { ...init, body: new Blob([init.body]) } : init);

/** The options that this transport has, with their defaults. */
export const transportDefaults: { readonly fetch: Fetch } = { fetch: runtimeFetch };

export const openTransport = (fetch: Fetch): Transport => ({ name: "fetch", send: fetch });
