import { afterEach, expect, test, vi } from "vitest";
import { sendThroughMiddleware } from "./send-through-middleware.ts";

afterEach(() => void vi.unstubAllGlobals());

async function bodySent(body: string | null): Promise<unknown> {
  const fetch = vi.fn(async (..._given: [url: string, init: RequestInit]) => new Response("sent"));
  vi.stubGlobal("fetch", fetch);
  const { signal } = new AbortController();
  const request = {
    operation: "CreateOffer",
    attempt: 1,
    method: "POST",
    headers: {},
    body,
    signal,
    maxResponseBytes: 99,
  } as const;
  await sendThroughMiddleware({ ...request, url: "https://service.example/offer" }, {}, "key");
  return fetch.mock.calls[0]?.[1].body;
}

test("the runtime's fetch is given the text of a body", async () => expect(await bodySent("{}")).toBe("{}"));

test("Deno's fetch, which sends a text twice when a kept connection breaks, is given a Blob with it", async () => {
  vi.stubGlobal("Deno", {});
  const sent = await bodySent('{"title":"Küche"}');
  expect(sent).toBeInstanceOf(Blob);
  expect(await (sent as Blob).text()).toBe('{"title":"Küche"}');
  expect(await bodySent(null)).toBeNull();
});
