// Isolated, because test files that share a process may have replaced `Request`.
import { expect, test } from "vitest";
import { type Fetch, OffersClient } from "../../src/index.ts";
import { offer } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

// workerd #698: Workers with a compatibility date before 2024-11-11 reject `cache`, and their `Request` lacks it.
test("a runtime whose fetch rejects the option `cache` does not get it", async () => {
  const { baseUrl } = await serve(respondWith(200, JSON.stringify(offer)));
  const workerFetch: Fetch = (url, init) => {
    if ("cache" in init) throw new Error("The 'cache' field on 'RequestInitializerDict' is not implemented.");
    return fetch(url, init);
  };
  const client = new OffersClient({ baseUrl, apiKey: "key-of-harbour-hotels", fetch: workerFetch, maxRetries: 0 });
  await expect(client.getOffer("a")).rejects.toMatchObject({ cause: { message: expect.stringContaining("'cache'") } });
  Reflect.deleteProperty(Request.prototype, "cache");
  await expect(client.getOffer("a")).resolves.toEqual(offer);
});
