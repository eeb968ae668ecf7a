import { OffersClient } from "@offers/client";
import { expect, test, vi } from "vitest";

/** Like jsdom's AbortSignal, a separate class that Node's fetch does not accept. */
class ForeignSignal extends EventTarget {
  readonly aborted = false;
  readonly reason = undefined;
}

class ForeignController {
  readonly signal = new ForeignSignal();
  abort() {}
}

test("if the environment replaces AbortSignal, the call fails after one attempt and the error mentions jsdom", async () => {
  // Node loads its fetch on the first call and keeps the classes that exist at that time.
  await fetch("data:,");
  vi.stubGlobal("AbortController", ForeignController);
  vi.stubGlobal("AbortSignal", ForeignSignal);
  // Nothing listens on this port, because no request is sent.
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
