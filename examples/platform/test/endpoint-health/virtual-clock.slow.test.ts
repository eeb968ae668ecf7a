import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { enableEndpoint } from "../../src/webhooks/disabled-endpoint.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { restartSchedules } from "../../src/webhooks/redeliver.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { hangUp, openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { createVirtualTime, type VirtualTime } from "../support/virtual-time.ts";
import { expectOnSchedule } from "./endpoint-scenario.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

describe.each(await anyStore())("endpoints over days of virtual time on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let time: VirtualTime;
  let receiver: Receiver;
  let organisationId: string;

  beforeEach(async () => {
    receiver = await openReceiver();
    organisationId = await addOrganisation(fixture.store, receiver.baseAddress);
    time = createVirtualTime(fixture);
  });
  afterEach(async () => {
    await fixture.reset();
    await receiver.close();
  });

  const startDelivery = () => fixture.startDelivery({ now: time.now, retrySchedule: defaultRetrySchedule });
  const recordResponse = (workerId: string) =>
    fixture.store.transaction(async (trx) => {
      const data = { offerId: "offer-1", workerId, response: "accepted" } as const;
      const event = { type: "workerOfferResponse", data } as const;
      const { deliveryId = "" } = await recordEvent(trx, organisationId, event);
      return { workerId, deliveryId };
    });
  const readStates = async () => {
    const rows = await fixture.store.db
      .selectFrom("deliveries")
      .select(["id", "state"])
      .where("organisation_id", "=", organisationId)
      .execute();
    return new Map(rows.map(({ id, state }) => [id, state]));
  };
  const allDeliveriesAre = async (state: string) =>
    [...(await readStates()).values()].every((deliveryState) => deliveryState === state);
  const readEndpoint = () =>
    fixture.store.db
      .selectFrom("endpoints")
      .selectAll()
      .where("organisation_id", "=", organisationId)
      .executeTakeFirst();

  /** Enables the endpoint, as the portal does once its checks have passed. */
  const enable = async () => {
    await fixture.store.transaction((trx) => enableEndpoint(trx, organisationId, (path) => path));
    await restartSchedules(fixture.store, organisationId);
  };

  /** Asserts that each delivery was received once, and that each worker's deliveries were received in order. */
  const expectDelivered = (recorded: Awaited<ReturnType<typeof recordResponse>>[], received: string[]) => {
    expect(received).toHaveLength(recorded.length);
    expect(new Set(received).size).toBe(recorded.length);
    for (const workerId of new Set(recorded.map((response) => response.workerId))) {
      const recordedIds = recorded
        .filter((response) => response.workerId === workerId)
        .map(({ deliveryId }) => deliveryId);
      expect(received.filter((id) => recordedIds.includes(id))).toEqual(recordedIds);
    }
  };

  test("an endpoint receives everything in order, and nothing early, after ten minutes of downtime", async () => {
    const upAt = time.now().getTime() + 10 * minuteMs;
    const received: string[] = [];
    let failedRequestCount = 0;
    receiver.respond = (request, response) => {
      if (time.now().getTime() < upAt) {
        failedRequestCount += 1;
        return (failedRequestCount % 3 === 0 ? hangUp : respondWith(503))(request, response);
      }
      received.push(String(request.headers["offers-delivery-id"]));
      respondWith(200)(request, response);
    };
    const delivery = startDelivery();
    const recorded: Awaited<ReturnType<typeof recordResponse>>[] = [];
    for (let round = 0; round < 9; round += 1) {
      for (let worker = 0; worker < 4; worker += 1) recorded.push(await recordResponse(`worker-${worker}`));
      await time.waitUntilIdle();
      await time.advance(minuteMs);
    }
    // There are four first attempts and their retries, then one attempt per pause. The other deliveries use up no attempts.
    expect(failedRequestCount).toBeGreaterThanOrEqual(10);
    expect(failedRequestCount).toBeLessThan(30);
    expect(await readEndpoint()).toMatchObject({
      breaker_open_count: expect.any(Number),
      failing_since: expect.any(Date),
    });
    await time.advanceUntil(() => allDeliveriesAre("acknowledged"));
    expectDelivered(recorded, received);
    await expectOnSchedule(fixture);
    expect(await readEndpoint()).toMatchObject({
      breaker_open_until: null,
      breaker_open_count: 0,
      failing_since: null,
    });
    await delivery.stop();
    expect(fixture.errors).toEqual([]);
  });

  test("an endpoint that is enabled after a day receives everything in order", async () => {
    const received: string[] = [];
    receiver.respond = respondWith(410);
    const delivery = startDelivery();
    const recorded = [await recordResponse("worker-0")];
    await time.waitUntilIdle();
    expect(await readEndpoint()).toMatchObject({ disabled_because: "gone" });
    for (let round = 0; round < 24; round += 1) {
      for (let worker = 0; worker < 3; worker += 1) recorded.push(await recordResponse(`worker-${worker}`));
      await time.waitUntilIdle();
      await time.advance(hourMs);
    }
    expect(await allDeliveriesAre("pending")).toBe(true);
    expect(receiver.requests).toHaveLength(1);
    receiver.respond = (request, response) => {
      received.push(String(request.headers["offers-delivery-id"]));
      respondWith(200)(request, response);
    };
    await enable();
    await time.advanceUntil(() => allDeliveriesAre("acknowledged"));
    expectDelivered(recorded, received);
    await delivery.stop();
  });

  test("an endpoint is disabled after five days without an acknowledgement, and nothing is lost [D-73]", async () => {
    receiver.respond = respondWith(500);
    const delivery = startDelivery();
    const recorded = [await recordResponse("worker-0")];
    const isDisabled = async () => (await readEndpoint())?.disabled_because === "failing";
    const startedAt = time.now().getTime();
    for (let round = 0; round < 40 && !(await isDisabled()); round += 1) {
      if (round % 4 === 0) recorded.push(await recordResponse(`worker-${round % 5}`));
      await time.waitUntilIdle();
      await time.advance(5 * hourMs);
    }
    expect(time.now().getTime() - startedAt).toBeGreaterThanOrEqual(5 * dayMs);
    expect(time.now().getTime() - startedAt).toBeLessThan(6 * dayMs);
    const requestsBefore = receiver.requests.length;
    recorded.push(await recordResponse("worker-0"));
    await time.waitUntilIdle();
    await time.advance(dayMs);
    await time.waitUntilIdle();
    expect(receiver.requests).toHaveLength(requestsBefore);
    const statesBefore = await readStates();
    expect([...statesBefore.values()].filter((state) => state !== "pending" && state !== "dead")).toEqual([]);
    receiver.respond = respondWith(200);
    await enable();
    await time.advanceUntil(async () => ![...(await readStates()).values()].includes("pending"));
    const statesAfter = await readStates();
    expect(recorded.map(({ deliveryId }) => statesAfter.get(deliveryId))).toEqual(
      recorded.map(({ deliveryId }) => (statesBefore.get(deliveryId) === "dead" ? "dead" : "acknowledged")),
    );
    await delivery.stop();
  });
});
