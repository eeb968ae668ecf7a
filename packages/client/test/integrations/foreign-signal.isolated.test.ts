import { OffersClient } from "@offers/client";
import { expect, test, vi } from "vitest";

/** As jsdom has it: its own class, which Node's fetch does not know. */
class ForeignSignal extends EventTarget {
  readonly aborted = false;
  readonly reason = undefined;
}

class ForeignController {
  readonly signal = new ForeignSignal();
  abort() {}
}

test("an environment with its own AbortSignal is named after one attempt", async () => {
  // Node loads its fetch with the first call, with the classes of then.
  await fetch("data:,");
  vi.stubGlobal("AbortController", ForeignController);
  vi.stubGlobal("AbortSignal", ForeignSignal);
  // Nothing listens there: no request is made.
  const client = new OffersClient({
    baseUrl: "http://127.0.0.1:65001",
    apiKey: "key_harbour",
    fetch: globalThis.fetch,
  });
  const error = await client.getOffer("offer_1").catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({
    name: "UsageError",
    code: "invalid_option",
    attempts: 1,
    message: expect.stringContaining("jsdom"),
  });
});
