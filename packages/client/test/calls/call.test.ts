import { expect, onTestFinished, test } from "vitest";
import { ConflictError, OffersClient } from "../../src/index.ts";
import { offer } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const startService = async (...respond: Parameters<typeof respondWith>) => {
  const { baseUrl, received } = await serve(respondWith(...respond));
  return { client: new OffersClient({ baseUrl, apiKey: "key" }), received };
};

test("a call sends one request, however many of its methods are used", async () => {
  const { client, received } = await startService(200, JSON.stringify(offer), { etag: '"1"' });
  const call = client.getOffer("a");
  expect(call).toBeInstanceOf(Promise);
  const { data, response, attempts } = await call.withResponse();
  expect([data, response.status, response.headers.get("etag"), attempts]).toEqual([offer, 200, '"1"', 1]);
  const result = await call.safe();
  expect(result.ok && result.data).toBe(data);
  expect(result.ok && result.response).toBe(response);
  expect(await call).toBe(data);
  expect(received).toHaveLength(1);
});

test("a request is sent even if the call is not awaited", async () => {
  const { client, received } = await startService(200);
  void client.withdrawOffer("a");
  await expect.poll(() => received.map(({ url }) => url)).toEqual(["/offer/a/withdraw?api-version=1.0"]);
});

test("safe() resolves with a failure and the other methods reject; each of them handles the rejection", async () => {
  const unhandled: unknown[] = [];
  const record = (reason: unknown) => void unhandled.push(reason);
  process.on("unhandledRejection", record);
  onTestFinished(() => void process.off("unhandledRejection", record));

  const { client } = await startService(409);
  const call = client.withdrawOffer("a");
  const result = await call.safe();
  expect(result).toEqual({ ok: false, error: expect.any(ConflictError) });
  await expect(call.withResponse()).rejects.toBe(result.ok || result.error);
  await expect(call).rejects.toBe(result.ok || result.error);

  const safeCall = client.withdrawOffer("a");
  const responseCall = client.withdrawOffer("a").withResponse();
  await Promise.all([safeCall.safe(), responseCall.then(undefined, () => {})]);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(unhandled).toEqual([]);
});

test("a call with a string key sends its request before it returns", async () => {
  let requestCount = 0;
  const fetch = async () => {
    requestCount += 1;
    return Response.json(offer);
  };
  const call = new OffersClient({ baseUrl: "https://service.example", apiKey: "key", fetch }).getOffer("a");
  expect(requestCount).toBe(1);
  await call;
});

test("the stack of a failure shows the code that awaits the call or iterates over the watch", async () => {
  const { client } = await startService(409);
  const hire = async () => await client.completeOffer("a", ["w"]);
  const follow = async () => {
    for await (const _ of client.watchOffer("a"));
  };
  await expect(hire()).rejects.toMatchObject({ stack: expect.stringMatching(/^ConflictError: .*\n[\s\S]*\bhire\b/) });
  await expect(follow()).rejects.toMatchObject({
    stack: expect.stringMatching(/^ConflictError: .*\n[\s\S]*\bfollow\b/),
  });
});
