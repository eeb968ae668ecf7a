import { expect, test } from "vitest";
import type { HandlerContext, WebhookEvent } from "../../src/index.ts";
import { type Adapter, sampleAdapters } from "../support/adapters.ts";
import { createJsonHeaders, createSignedHeaders, secret } from "../support/serve.ts";

const post = (body: object): RequestInit => ({
  method: "POST",
  headers: createJsonHeaders(),
  body: JSON.stringify(body),
});
const acceptedResponse = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" };

test.each<Adapter>(sampleAdapters)(
  "onEvent gets each event without a specific handler, on $name",
  async ({ serve }) => {
    const events: WebhookEvent[] = [];
    const handledByName: unknown[] = [];
    const { url } = await serve({
      secret,
      onWorkerOfferResponse: (event) => void handledByName.push(event),
      onEvent: (event, { receivedAt }) => {
        expect(event.receivedAt).toBe(receivedAt.toISOString());
        events.push(event);
      },
    });
    const statuses = await Promise.all([
      fetch(`${url}/offer/response`, post(acceptedResponse)),
      fetch(`${url}/contact/new/worker_amal`, { headers: createSignedHeaders() }),
      fetch(`${url}/offer/eventDeleted`, post({ offerId: "o", workerId: "w", eventStart: "2099-05-01T16:00:00Z" })),
    ]).then((responses) => responses.map(({ status }) => status));
    expect(statuses).toEqual([200, 200, 200]);
    expect(handledByName).toEqual([acceptedResponse]);
    expect(events.map(({ type }) => type).sort()).toEqual(["OfferEventDeleted", "WorkerAddedContact"]);
  },
);

test.each<Adapter>(sampleAdapters)(
  "when onEvent throws, the response is 500, and a retry runs onEvent again but a duplicate does not, on $name",
  async ({ serve }) => {
    const contexts: HandlerContext[] = [];
    const { url } = await serve({
      secret,
      onError: () => undefined,
      onEvent(_, context) {
        contexts.push(context);
        if (contexts.length === 1) throw new Error("the queue is down");
      },
    });
    const init = post(acceptedResponse);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 3; attempt += 1) statuses.push((await fetch(`${url}/offer/response`, init)).status);
    expect(statuses).toEqual([500, 200, 200]);
    expect(contexts).toHaveLength(2);
    expect(contexts[0]?.deduplicationKey).toBeUndefined();
  },
);

test.each<Adapter>(sampleAdapters)("onEvent does not handle searches, on $name", async ({ serve }) => {
  const { url } = await serve({ secret, onEvent: () => undefined });
  expect((await fetch(`${url}/contact-suggestions`, post({ userEmailAddresses: [] }))).status).toBe(404);
});
