import type { ReceiverOptions } from "../../src/options/options.ts";
import type { Adapter } from "./adapters.ts";
import { secret, signedJson } from "./serve.ts";

/** An event as the service sends it. */
export const accepted = { offerId: "offer_4f1c2a", workerId: "worker_amal", response: "accepted" };

/** Serves a receiver below `prefix` until the test is over, and returns functions that send to it. */
export async function mount(adapter: Adapter, options: Partial<ReceiverOptions> = {}, prefix = "/hooks") {
  const { url } = await adapter.serve({ secret, ...options }, prefix);
  return (where: string, init?: RequestInit) => fetch(`${url}${prefix}${where}`, init);
}

/** A request with a JSON body, signed now. */
export const post = (body: unknown, headers = signedJson()): RequestInit => ({
  method: "POST",
  headers,
  body: typeof body === "string" ? body : JSON.stringify(body),
});

/** Where a request went, whichever adapter's request it is. */
export function addressOf(request: unknown): string {
  const { originalUrl, url } = request as { originalUrl?: string; url: string };
  return originalUrl ?? url;
}
