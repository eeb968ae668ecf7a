import { describe, expect, test } from "vitest";
import { redeliver } from "../../src/webhooks/redeliver.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { singleAttempt, useDeliveries, workerResponse } from "./use-deliveries.ts";

describe.each(await anyStore())("deliveries on $title", ({ createDatabase }) => {
  const deliveries = useDeliveries(createDatabase);
  const { record, waitForState, readState } = deliveries;

  test("a delivery fails after the last attempt and can be redelivered with its id [D-26]", async () => {
    deliveries.receiver.respond = respondWith(500);
    deliveries.fixture.startDelivery({ retrySchedule: { delaysMs: [10, 10], jitter: 0, maxRetryAfterMs: 0 } });
    const id = await record(workerResponse("worker-1"));
    await waitForState(id, "dead");
    expect(deliveries.receiver.requests).toHaveLength(3);
    deliveries.receiver.respond = respondWith(200);
    expect(await redeliver(deliveries.fixture.store, "someone else", id)).toEqual({ outcome: "unknown" });
    expect(await redeliver(deliveries.fixture.store, deliveries.organisationId, id)).toEqual({
      outcome: "redelivered",
      id,
    });
    await waitForState(id, "acknowledged");
    expect(deliveries.receiver.requests.at(-1)?.headers["offers-delivery-id"]).toBe(id);
  });

  test("a failed delivery is not redelivered after the same worker's later response [D-32]", async () => {
    deliveries.receiver.respond = (request, response) =>
      respondWith(request.body.includes("accepted") ? 500 : 200)(request, response);
    const delivery = deliveries.fixture.startDelivery({ retrySchedule: singleAttempt });
    const accepted = await record(workerResponse("worker-1", "accepted"));
    await waitForState(accepted, "dead");
    await delivery.stop();
    const rejected = await record(workerResponse("worker-1", "rejected"));
    expect(await redeliver(deliveries.fixture.store, deliveries.organisationId, accepted)).toEqual({
      outcome: "superseded",
    });
    deliveries.fixture.startDelivery({ retrySchedule: singleAttempt });
    await waitForState(rejected, "acknowledged");
    expect(await redeliver(deliveries.fixture.store, deliveries.organisationId, accepted)).toEqual({
      outcome: "superseded",
    });
    expect(await readState(accepted)).toBe("dead");
    expect(deliveries.receiver.requests).toHaveLength(2);
  });

  test("two failed deliveries for one worker and offer are redelivered in order", async () => {
    deliveries.receiver.respond = respondWith(500);
    const delivery = deliveries.fixture.startDelivery({ retrySchedule: singleAttempt });
    const ids = [
      await record(workerResponse("worker-1", "accepted")),
      await record(workerResponse("worker-1", "rejected")),
    ];
    for (const id of ids) await waitForState(id, "dead");
    await delivery.stop();
    deliveries.receiver.respond = respondWith(200);
    for (const id of ids)
      expect(await redeliver(deliveries.fixture.store, deliveries.organisationId, id)).toEqual({
        outcome: "redelivered",
        id,
      });
    deliveries.fixture.startDelivery();
    for (const id of ids) await waitForState(id, "acknowledged");
    expect(deliveries.receiver.requests.slice(-2).map(({ headers }) => headers["offers-delivery-id"])).toEqual(ids);
  });
});
