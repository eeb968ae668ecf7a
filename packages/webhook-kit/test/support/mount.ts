import type { ReceiverOptions } from "../../src/options/options.ts";
import type { Adapter } from "./adapters.ts";
import { secret, signedJson } from "./serve.ts";

/** An event like the service's. */
export const accepted = { offerId: "offer_4f1c2a", workerId: "worker_amal", response: "accepted" };

/** Serves a receiver below `prefix` until the test ends, and returns functions that send to it. */
export async function mount(adapter: Adapter, options: Partial<ReceiverOptions> = {}, prefix = "/hooks") {
  const { url } = await adapter.serve({ secret, ...options }, prefix);
  return (where: string, init?: RequestInit) => fetch(`${url}${prefix}${where}`, init);
}

/** Creates a request with a JSON body, signed now. */
export const post = (body: unknown, headers = signedJson()): RequestInit => ({
  method: "POST",
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** Returns a request's target, whichever the adapter. */
export function addressOf(request: unknown): string {
  const { originalUrl, url } = request as { originalUrl?: string; url: string };
  return originalUrl ?? url;
}
