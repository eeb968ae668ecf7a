import type { ReceiverOptions } from "../../src/options/options.ts";
import type { Adapter } from "./adapters.ts";
import { createJsonHeaders, secret } from "./serve.ts";

/** A WorkerOfferResponse as the service sends it. */
export const acceptedResponse = { offerId: "offer_4f1c2a", workerId: "worker_amal", response: "accepted" };

/** Serves a receiver under `prefix` until the test ends, and returns a function that sends requests to it. */
export async function mount(adapter: Adapter, options: Partial<ReceiverOptions> = {}, prefix = "/hooks") {
  const { url } = await adapter.serve({ secret, ...options }, prefix);
  return (path: string, init?: RequestInit) => fetch(`${url}${prefix}${path}`, init);
}

/** Creates a request with a JSON body, signed now. */
export const post = (body: unknown, headers = createJsonHeaders()): RequestInit => ({
  method: "POST",
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** Returns the target of a request from any adapter. */
export function getRequestTarget(request: unknown): string {
  const { originalUrl, url } = request as { originalUrl?: string; url: string };
  return originalUrl ?? url;
}
