import { randomUUID } from "node:crypto";
import { getEventListeners } from "node:events";
import { describe, expect, test } from "vitest";
import { type CatchUpOptions, catchUp } from "../../src/catch-up.ts";
import { webhookHandler } from "../../src/fetch.ts";
import { type EventContext, standardWebhooks, UnavailableError, type WorkerOfferResponse } from "../../src/index.ts";
import { inboxesUnderTest } from "../inbox/inboxes-under-test.ts";
import { createSignedRequest, whsec } from "../signature/standard-signed.ts";
import { captureConsole } from "../support/capture-console.ts";
import { serve } from "../support/serve.ts";

captureConsole();

interface FeedEvent {
  id: string;
  type: string;
  data: unknown;
  createdAt: string;
}

const createResponseEvent = (workerId: string, response = "accepted"): FeedEvent => ({
  id: randomUUID(),
  type: "WorkerOfferResponse",
  data: { offerId: "offer_1", workerId, response },
  createdAt: "2026-11-20T08:00:00.000Z",
});

/** Serves an event feed like that of the reference platform. Its cursors are positions in the list. */
async function serveFeed(events: readonly FeedEvent[]) {
  const requests: { url: string; key: string | undefined }[] = [];
  const { url } = await serve((request, response) => {
    const { searchParams } = new URL(request.url ?? "", "http://127.0.0.1");
    requests.push({ url: request.url ?? "", key: request.headers["x-ue-api-subscription-key"]?.toString() });
    const start = Number(searchParams.get("after") ?? 0);
    const end = start + Number(searchParams.get("limit"));
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        events: events.slice(start, end),
        cursor: `${Math.min(end, events.length)}`,
        more: end < events.length,
      }),
    );
  });
  return { baseUrl: url, requests };
}

const apiKey = "key_harbour";

describe.each(await inboxesUnderTest())("catchUp on $title", ({ once, query }) => {
  const readNotes = async (workerId: string) =>
    (await query("SELECT text FROM notes WHERE text LIKE $1", [`${workerId} %`])).map(({ text }) => text);
  const onWorkerOfferResponse = async ({ workerId, response }: WorkerOfferResponse, context: EventContext) => {
    await once(context, [`${workerId} ${response}`]);
  };

  test("an event that arrived as a webhook is not handled again [D-136]", async () => {
    const receivedEvent = createResponseEvent(randomUUID());
    const missedEvent = createResponseEvent(randomUUID());
    const receiver = webhookHandler({ secret: whsec, scheme: standardWebhooks(), onWorkerOfferResponse });
    const send = async ({ id, data }: FeedEvent) =>
      (
        await receiver(
          new Request("https://us.example/offer/response", createSignedRequest(JSON.stringify(data), { id })),
        )
      ).status;
    expect(await send(receivedEvent)).toBe(200);
    const { baseUrl } = await serveFeed([receivedEvent, missedEvent]);
    expect(await catchUp({ baseUrl, apiKey, onWorkerOfferResponse })).toEqual({ cursor: "2", read: 2, skipped: 0 });
    // Sends the missed event as a late webhook, and redelivers the received event.
    expect([await send(missedEvent), await send(receivedEvent)]).toEqual([200, 200]);
    for (const { data } of [receivedEvent, missedEvent]) {
      const { workerId } = data as WorkerOfferResponse;
      expect(await readNotes(workerId)).toEqual([`${workerId} accepted`]);
    }
  });

  test("a tenant's event that arrived as a webhook is not handled again", async () => {
    const event = createResponseEvent(randomUUID());
    const receiver = webhookHandler({ secret: () => whsec, scheme: standardWebhooks(), onWorkerOfferResponse });
    const request = createSignedRequest(JSON.stringify(event.data), { id: event.id });
    await receiver(new Request("https://us.example/offer/response", request));
    const { baseUrl } = await serveFeed([event]);
    await catchUp({ baseUrl, apiKey, tenantSecret: whsec, onWorkerOfferResponse });
    expect(await readNotes((event.data as WorkerOfferResponse).workerId)).toHaveLength(1);
  });

  test("after a failure, catchUp reads the page again, and events that were already handled are duplicates", async () => {
    const failingWorker = randomUUID();
    const events = [createResponseEvent(randomUUID()), createResponseEvent(failingWorker)];
    const { baseUrl } = await serveFeed(events);
    const handleAndFail: CatchUpOptions["onWorkerOfferResponse"] = async (event, context) => {
      await onWorkerOfferResponse(event, context);
      if (event.workerId === failingWorker) throw new Error("the mail server is down");
    };
    const cursors: string[] = [];
    const onPage = ({ cursor }: { cursor: string }) => cursors.push(cursor);
    await expect(catchUp({ baseUrl, apiKey, onPage, onWorkerOfferResponse: handleAndFail })).rejects.toThrow(
      "the mail server is down",
    );
    expect(cursors).toEqual([]);
    await catchUp({ baseUrl, apiKey, onPage, onWorkerOfferResponse });
    expect(cursors).toEqual(["2"]);
    for (const { data } of events) expect(await readNotes((data as WorkerOfferResponse).workerId)).toHaveLength(1);
  });
});

test("catchUp reads the pages in order from the cursor to the end, and sends the key and the version", async () => {
  const events = Array.from({ length: 5 }, (_, index) => createResponseEvent(`worker_${index}`));
  const { baseUrl, requests } = await serveFeed(events);
  const handled: string[] = [];
  const pages: unknown[] = [];
  const summary = await catchUp({
    baseUrl: `${baseUrl}/`,
    apiKey,
    after: "1",
    limit: 2,
    onPage: (page) => pages.push(page),
    onEvent: ({ data, source, receivedAt }) => handled.push(`${data.workerId} ${source} ${receivedAt}`),
  });
  expect(summary).toEqual({ cursor: "5", read: 4, skipped: 0 });
  expect(handled).toEqual([1, 2, 3, 4].map((index) => `worker_${index} feed 2026-11-20T08:00:00.000Z`));
  expect(pages).toEqual([
    { cursor: "3", events: 2 },
    { cursor: "5", events: 2 },
  ]);
  expect(requests).toEqual([
    { url: "/events?after=1&limit=2&api-version=1.0", key: apiKey },
    { url: "/events?after=3&limit=2&api-version=1.0", key: apiKey },
  ]);
});

test("an event without a handler, or of an unknown type, is skipped and counted", async () => {
  const contact: FeedEvent = {
    ...createResponseEvent("w"),
    type: "WorkerAddedContact",
    data: { workerId: "worker_amal" },
  };
  const unknownEvent: FeedEvent = { ...createResponseEvent("w"), type: "WorkerRenamed", data: {} };
  const { baseUrl } = await serveFeed([createResponseEvent("w"), contact, unknownEvent]);
  const contacts: string[] = [];
  const onWorkerAddedContact = ({ workerId }: { workerId: string }) => contacts.push(workerId);
  expect(await catchUp({ baseUrl, apiKey, onWorkerAddedContact })).toEqual({ cursor: "3", read: 3, skipped: 2 });
  expect(contacts).toEqual(["worker_amal"]);
});

const respondWith = (status: number, body: string) =>
  serve((_request, response) => {
    response.writeHead(status, { location: "/elsewhere" });
    response.end(body);
  });

test.each([
  [
    401,
    JSON.stringify({ code: "invalid_api_key", detail: "key_harbour is unknown" }),
    "the response is 401 (invalid_api_key)",
  ],
  [302, "", "the response is 302"],
  [503, "<p>busy</p>", "the response is 503"],
  [200, "<p>sign in</p>", expect.any(String)],
  [200, JSON.stringify({ events: [] }), "the response is not a page of events"],
  [200, JSON.stringify({ events: [{ id: 1 }], cursor: "1", more: false }), "the response is not a page of events"],
])("after a response of %i %s, catchUp rejects with the reason, but without the key", async (status, body, reason) => {
  const { url } = await respondWith(status, body);
  const failure = await catchUp({ baseUrl: url, apiKey, onEvent: () => undefined }).catch((error) => error);
  expect(failure).toBeInstanceOf(UnavailableError);
  expect(failure).toMatchObject({ code: "feed_failed", cause: { message: reason } });
  expect(`${failure.message} ${failure.cause.message}`).not.toContain(apiKey);
});

test("catchUp rejects an event with invalid data, and the error names the field", async () => {
  const { baseUrl } = await serveFeed([{ ...createResponseEvent("w"), data: { offerId: "offer_1" } }]);
  await expect(catchUp({ baseUrl, apiKey, onEvent: () => undefined })).rejects.toMatchObject({
    code: "invalid_event",
    message: expect.stringContaining("workerId"),
  });
});

test("an error of Next.js that fetch throws reaches it unchanged", async () => {
  const error = Object.assign(new Error("Dynamic server usage"), { digest: "DYNAMIC_SERVER_USAGE" });
  const options = { baseUrl: "https://service.example", apiKey, onEvent: () => undefined };
  await expect(catchUp({ ...options, fetch: () => Promise.reject(error) })).rejects.toBe(error);
});

test("an aborted call stops reading and rejects with the reason", async () => {
  const { baseUrl, requests } = await serveFeed([createResponseEvent("w"), createResponseEvent("v")]);
  const controller = new AbortController();
  const onEvent = () => controller.abort(new Error("deploying"));
  await expect(catchUp({ baseUrl, apiKey, limit: 1, signal: controller.signal, onEvent })).rejects.toThrow("deploying");
  expect(requests).toHaveLength(1);
});

test.each([
  ["http to another machine", { baseUrl: "http://service.example" }, /baseUrl/],
  ["an invalid URL", { baseUrl: "service" }, /baseUrl/],
  ["credentials", { baseUrl: "https://user:password@service.example" }, /baseUrl/],
  ["a query", { baseUrl: "https://service.example/?tenant=1" }, /baseUrl/],
  ["an empty key", { apiKey: "" }, /apiKey/],
  ["a key with a line break", { apiKey: "key\n" }, /apiKey/],
  ["a limit of 0", { limit: 0 }, /limit/],
  ["a limit of 1001", { limit: 1_001 }, /limit/],
  ["no handler", { onEvent: undefined }, /needs one of your receiver's handlers/],
  ["a misspelt option", { cursor: "1" }, /cursor/],
  ["an onPage that is not a function", { onPage: "cursor" }, /onPage must be a function/],
  ["a fetch that is not a function", { fetch: {} }, /fetch must be a function/],
])("catchUp rejects options with %s before it sends a request", async (_description, invalidOptions, message) => {
  const options = { baseUrl: "http://127.0.0.1:9", apiKey, onEvent: () => undefined, ...invalidOptions };
  await expect(catchUp(options as CatchUpOptions)).rejects.toMatchObject({
    code: "invalid_option",
    message: expect.stringMatching(message),
  });
});

test("a signal that is used for several calls does not retain references to them", async () => {
  const { baseUrl } = await serveFeed(Array.from({ length: 50 }, (_, index) => createResponseEvent(`worker_${index}`)));
  const { signal } = new AbortController();
  for (let call = 0; call < 3; call += 1)
    await catchUp({ baseUrl, apiKey, limit: 1, signal, onWorkerOfferResponse: () => undefined });
  expect(getEventListeners(signal, "abort")).toEqual([]);
  // AbortSignal.any stores dependent signals under this symbol.
  const dependentCounts = Object.getOwnPropertySymbols(signal)
    .filter((symbol) => symbol.description === "kDependantSignals")
    .map((symbol) => Reflect.get(signal, symbol)?.size ?? 0);
  expect(dependentCounts.every((count) => count === 0)).toBe(true);
});
