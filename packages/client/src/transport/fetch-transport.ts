// `#transport` outside Node. It imports no class of this package, because bundles contain it once and the entries several times.
import type { Fetch, Transport } from "../http.ts";

/**
 * Looks up the runtime's `fetch` for every request, in case it is replaced later. Deno sends a string body again when a reused connection
 * breaks, even for a POST (denoland/deno#35610). It does not resend a Blob.
 */
export const runtimeFetch: Fetch = (url, init) =>
  globalThis.fetch(url, init.body && "Deno" in globalThis ? { ...init, body: new Blob([init.body]) } : init);

/**
 * Returns a function that chooses the transport for the next request, or undefined if the agent cannot be used.
 *
 * @param fetch the user's, or `runtimeFetch`
 */
export const openTransport = (fetch: Fetch, agent?: object): (() => Transport) | undefined =>
  agent ? undefined : () => ({ name: "fetch", send: fetch });
