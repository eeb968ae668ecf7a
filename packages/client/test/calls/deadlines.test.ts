import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { AbortedError, OffersClient, TimeoutError } from "../../src/index.ts";
import { input, offer } from "../support/offer.ts";
import { respondWith, serve } from "../support/serve.ts";

const apiKey = "key";
const neverRespond = () => {};
const sendHalfABody = (response: { write(text: string): unknown }) => void response.write('{"id":');

test.each([
  ["headers", neverRespond],
  ["body", sendHalfABody],
])("the timeout covers a stall in the %s", async (_where, respond) => {
  const { baseUrl, received } = await serve(respond);
  const client = new OffersClient({ baseUrl, apiKey, timeoutMs: 500, maxRetries: 0 });
  for (const call of [() => client.getOffer("a"), () => client.createOffer(input)]) {
    const error = await call().catch((error: unknown) => error);
    expect(error).toBeInstanceOf(TimeoutError);
    expect(error).toMatchObject({ code: "timeout", attempts: 1, status: undefined });
  }
  expect(received).toHaveLength(2);
});

test("the timeout applies even to a fetch that ignores its signal", async () => {
  const client = new OffersClient({
    baseUrl: "https://service.example",
    apiKey,
    timeoutMs: 30,
    fetch: () => new Promise(neverRespond),
  });
  await expect(client.getOffer("a", { maxRetries: 0 })).rejects.toBeInstanceOf(TimeoutError);
});

test("a read is retried after a timeout, but a creation is not [D-50]", async () => {
  const { baseUrl, received } = await serve((response, _request, count) =>
    count === 1 ? neverRespond() : response.end(JSON.stringify(offer)),
  );
  const client = new OffersClient({ baseUrl, apiKey, timeoutMs: 400 });
  await expect(client.getOffer("a")).resolves.toEqual(offer);
  expect(received).toHaveLength(2);

  const creation = await serve(neverRespond);
  const creator = new OffersClient({ baseUrl: creation.baseUrl, apiKey, timeoutMs: 400 });
  await expect(creator.createOffer(input)).rejects.toMatchObject({ code: "timeout", attempts: 1 });
  expect(creation.received).toHaveLength(1);
});

test("totalTimeoutMs covers all attempts and the delays between them", async () => {
  const { baseUrl, received } = await serve(neverRespond);
  const client = new OffersClient({ baseUrl, apiKey, timeoutMs: 60_000, totalTimeoutMs: 500 });
  await expect(client.getOffer("a")).rejects.toMatchObject({ code: "timeout", attempts: 1 });
  expect(received).toHaveLength(1);
});

test("totalTimeoutMs covers the apiKey function", async () => {
  const client = new OffersClient({
    baseUrl: "https://service.example",
    apiKey: () => new Promise(neverRespond),
    totalTimeoutMs: 30,
  });
  await expect(client.getOffer("a")).rejects.toMatchObject({ code: "timeout", attempts: 0 });
});

test("a signal that is already aborted prevents the request", async () => {
  const { baseUrl, received } = await serve(respondWith(200, JSON.stringify(offer)));
  const reason = new Error("changed my mind");
  const error = await new OffersClient({ baseUrl, apiKey })
    .getOffer("a", { signal: AbortSignal.abort(reason) })
    .catch((error: unknown) => error);
  expect(error).toBeInstanceOf(AbortedError);
  expect(error).toMatchObject({ code: "aborted", cause: reason, attempts: 0, operation: "GetOffer" });
  expect(received).toEqual([]);
});

test.each([
  ["before the response", neverRespond],
  ["within the body", sendHalfABody],
  ["between two attempts", respondWith(503, "", { "retry-after": "20" })],
])("an abort %s ends the call immediately", async (_when, respond) => {
  const controller = new AbortController();
  const { baseUrl, received } = await serve((...args) => {
    respond(...args);
    setTimeout(() => controller.abort(), 50);
  });
  const call = new OffersClient({ baseUrl, apiKey }).getOffer("a", { signal: controller.signal });
  await expect(call).rejects.toMatchObject({ code: "aborted", attempts: 1 });
  expect(received).toHaveLength(1);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("twenty calls leave no listener on a shared signal", async () => {
  const { baseUrl } = await serve((response, { url }) =>
    url?.includes("missing") ? response.writeHead(404).end() : response.end(JSON.stringify(offer)),
  );
  const { signal } = new AbortController();
  const client = new OffersClient({ baseUrl, apiKey });
  const ids = Array.from({ length: 20 }, (_, index) => (index % 2 ? "missing" : "there"));
  await Promise.all(ids.map((id) => client.getOffer(id, { signal }).safe()));
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("the message contains the attempt timeout or the call timeout, whichever is shorter", async () => {
  const { baseUrl } = await serve(neverRespond);
  const getMessage = async (limits: object) =>
    new OffersClient({ baseUrl, apiKey, maxRetries: 0, ...limits }).getOffer("a").catch(({ message }) => message);
  expect(await getMessage({ timeoutMs: 30, totalTimeoutMs: 30 })).toContain(
    "within 30 ms; see timeoutMs and totalTimeoutMs",
  );
  expect(await getMessage({ timeoutMs: 31, totalTimeoutMs: 20 })).toContain(
    "within 20 ms; see timeoutMs and totalTimeoutMs",
  );
});
