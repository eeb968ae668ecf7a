import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { type Offer, OffersClient, type Recipient } from "../../src/index.ts";
import { offer } from "../support/offer.ts";
import { type Responder, respondWith, serve } from "../support/serve.ts";

const apiKey = "key";
const [amal = expect.unreachable()] = offer.recipients;
const ben: Recipient = { ...amal, id: 2, workerId: "worker_ben", name: "Ben Okri", response: "none" };
const respondWithOffer = (change: Partial<Offer>): Responder =>
  respondWith(200, JSON.stringify({ ...offer, ...change }));
const respondInTurn =
  (...responders: Responder[]): Responder =>
  (response, request, count) =>
    (responders[count - 1] ?? responders.at(-1))?.(response, request, count);

async function watch(responders: Responder[], options: Parameters<OffersClient["watchOffer"]>[1] = {}) {
  const { baseUrl, received } = await serve(respondInTurn(...responders));
  const client = new OffersClient({ baseUrl, apiKey, maxRetries: 0 });
  const changes: string[] = [];
  let error: unknown;
  try {
    for await (const { workerId, response, confirmation } of client.watchOffer("a", { pollIntervalMs: 0, ...options }))
      changes.push(`${workerId} ${response}${confirmation}`);
  } catch (thrown) {
    error = thrown;
  }
  return { changes, error, readCount: received.length };
}

test("every recipient is yielded once, then each recipient that changes, until the offer is complete [D-62]", async () => {
  const responders = [
    respondWithOffer({ recipients: [amal, ben] }),
    respondWithOffer({ recipients: [amal, ben] }),
    respondWithOffer({ recipients: [amal, { ...ben, response: "applied" }] }),
    respondWithOffer({ recipients: [{ ...amal, response: "rejected" }, ben] }),
    respondWithOffer({
      recipients: [
        { ...amal, response: "rejected" },
        { ...ben, confirmation: "!" },
      ],
      complete: true,
    }),
  ];
  expect(await watch(responders)).toEqual({
    changes: [
      "worker_amal applied",
      "worker_ben none",
      "worker_ben applied",
      "worker_amal rejected",
      "worker_ben none",
      "worker_ben none!",
    ],
    error: undefined,
    readCount: 5,
  });
});

test("a watch ends when the offer is withdrawn [D-62]", async () => {
  expect(await watch([respondWithOffer({}), respondWithOffer({ widthdrawn: true })])).toMatchObject({
    error: undefined,
    readCount: 2,
  });
});

test("a watch ends with the error of a failed read", async () => {
  const { changes, error, readCount } = await watch([respondWithOffer({}), respondWith(404)]);
  expect(error).toMatchObject({ name: "NotFoundError", operation: "GetOffer" });
  expect((error as Error).message).toMatch(/^GetOffer at 127\.0\.0\.1:\d+: 404; /);
  expect([changes.length, readCount]).toEqual([1, 2]);
});

test("a watch retries a failed read", async () => {
  const responders = [respondWith(503), respondWithOffer({ complete: true })];
  const { readCount, error } = await watch(responders, { maxRetries: 1 });
  expect([readCount, error]).toEqual([2, undefined]);
});

test("an abort between two reads ends a watch immediately and leaves no listener", async () => {
  const controller = new AbortController();
  const { baseUrl, received } = await serve(respondWithOffer({}));
  const iterator = new OffersClient({ baseUrl, apiKey })
    .watchOffer("a", { pollIntervalMs: 2_000_000_000, signal: controller.signal })
    [Symbol.asyncIterator]();
  expect(await iterator.next()).toEqual({ done: false, value: amal });
  const nextResult = iterator.next();
  controller.abort("enough");
  await expect(nextResult).rejects.toMatchObject({ code: "aborted", cause: "enough" });
  expect(await iterator.next()).toEqual({ done: true, value: undefined });
  expect(received).toHaveLength(1);
  expect(getEventListeners(controller.signal, "abort")).toEqual([]);
});

test("a watch stops reading when the loop is left", async () => {
  const { baseUrl, received } = await serve(respondWithOffer({ recipients: [amal, ben] }));
  for await (const { workerId } of new OffersClient({ baseUrl, apiKey }).watchOffer("a", { pollIntervalMs: 0 })) {
    expect(workerId).toBe("worker_amal");
    break;
  }
  expect(received).toHaveLength(1);
});

test.each([-1, Number.NaN, 1.5, 2 ** 31])(
  "an interval of %d is rejected before any request",
  async (pollIntervalMs) => {
    const { error, readCount } = await watch([respondWithOffer({})], { pollIntervalMs });
    expect(error).toMatchObject({ code: "invalid_option", operation: "GetOffer", attempts: 0 });
    expect((error as Error).message).toMatch(/^GetOffer: pollIntervalMs must be an integer/);
    expect(readCount).toBe(0);
  },
);
