import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { enableEndpoint } from "../../src/webhooks/disabled-endpoint.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { restartSchedules } from "../../src/webhooks/redeliver.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { hangUp, openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { type VirtualTime, virtualTime } from "../support/virtual-time.ts";
import { expectOnSchedule } from "./endpoint-scenario.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

describe.each(await anyStore())("an endpoint, over days of a virtual clock on $title,", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let time: VirtualTime;
  let receiver: Receiver;
  let organisationId: string;

  beforeEach(async () => {
    receiver = await openReceiver();
    organisationId = await addOrganisation(fixture.store, receiver.baseAddress);
    time = virtualTime(fixture);
  });
  afterEach(async () => {
    await fixture.reset();
    await receiver.close();
  });

  const start = () => fixture.startDelivery({ now: time.now, retrySchedule: defaultRetrySchedule });
  const record = (workerId: string) =>
    fixture.store.transaction(async (trx) => {
      const data = { offerId: "offer-1", workerId, response: "accepted" } as const;
      const event = { type: "workerOfferResponse", data } as const;
      const { deliveryId = "" } = await recordEvent(trx, organisationId, event);
      return { workerId, deliveryId };
    });
  const states = async () => {
    const rows = await fixture.store.db
      .selectFrom("deliveries")
      .select(["id", "state"])
      .where("organisation_id", "=", organisationId)
      .execute();
    return new Map(rows.map(({ id, state }) => [id, state]));
  };
  const all = async (state: string) => [...(await states()).values()].every((each) => each === state);
  const endpoint = () =>
    fixture.store.db
      .selectFrom("endpoints")
      .selectAll()
      .where("organisation_id", "=", organisationId)
      .executeTakeFirst();

  /** Enables the endpoint the way the portal does once its checks have passed. */
  const enable = async () => {
    await fixture.store.transaction((trx) => enableEndpoint(trx, organisationId, (path) => path));
    await restartSchedules(fixture.store, organisationId);
  };

  /** Asserts that each delivery was received once, and each worker's deliveries in order. */
  const expectDelivered = (given: Awaited<ReturnType<typeof record>>[], received: string[]) => {
    expect(received).toHaveLength(given.length);
    expect(new Set(received).size).toBe(given.length);
    for (const workerId of new Set(given.map((each) => each.workerId))) {
      const order = given.filter((each) => each.workerId === workerId).map(({ deliveryId }) => deliveryId);
      expect(received.filter((id) => order.includes(id))).toEqual(order);
    }
  };
  test("receives everything in order, and nothing before its time, after ten minutes of downtime", async () => {
    const upAt = time.now().getTime() + 10 * minute;
    const received: string[] = [];
    let refused = 0;
    receiver.respond = (request, response) => {
      if (time.now().getTime() < upAt) {
        refused += 1;
        return (refused % 3 === 0 ? hangUp : respondWith(503))(request, response);
      }
      received.push(String(request.headers["offers-delivery-id"]));
      respondWith(200)(request, response);
    };
    const delivery = start();
    const given: Awaited<ReturnType<typeof record>>[] = [];
    for (let round = 0; round < 9; round += 1) {
      for (let worker = 0; worker < 4; worker += 1) given.push(await record(`worker-${worker}`));
      await time.untilIdle();
      await time.advance(minute);
    }
    // There are four first attempts, their retries, then one per pause; the other deliveries use up no attempts.
    expect(refused).toBeGreaterThanOrEqual(10);
    expect(refused).toBeLessThan(30);
    expect(await endpoint()).toMatchObject({ breaker_open_count: expect.any(Number), failing_since: expect.any(Date) });
    await time.advanceUntil(() => all("acknowledged"));
    expectDelivered(given, received);
    await expectOnSchedule(fixture);
    expect(await endpoint()).toMatchObject({ breaker_open_until: null, breaker_open_count: 0, failing_since: null });
    await delivery.stop();
    expect(fixture.errors).toEqual([]);
  });

  test("receives everything in order once it is enabled after a day", async () => {
    const received: string[] = [];
    receiver.respond = respondWith(410);
    const delivery = start();
    const given = [await record("worker-0")];
    await time.untilIdle();
    expect(await endpoint()).toMatchObject({ disabled_because: "gone" });
    for (let round = 0; round < 24; round += 1) {
      for (let worker = 0; worker < 3; worker += 1) given.push(await record(`worker-${worker}`));
      await time.untilIdle();
      await time.advance(hour);
    }
    expect(await all("pending")).toBe(true);
    expect(receiver.requests).toHaveLength(1);
    receiver.respond = (request, response) => {
      received.push(String(request.headers["offers-delivery-id"]));
      respondWith(200)(request, response);
    };
    await enable();
    await time.advanceUntil(() => all("acknowledged"));
    expectDelivered(given, received);
    await delivery.stop();
  });

  test("is disabled after five days without an acknowledgement, and nothing is lost [D-73]", async () => {
    receiver.respond = respondWith(500);
    const delivery = start();
    const given = [await record("worker-0")];
    const isDisabled = async () => (await endpoint())?.disabled_because === "failing";
    const startedAt = time.now().getTime();
    for (let round = 0; round < 40 && !(await isDisabled()); round += 1) {
      if (round % 4 === 0) given.push(await record(`worker-${round % 5}`));
      await time.untilIdle();
      await time.advance(5 * hour);
    }
    expect(time.now().getTime() - startedAt).toBeGreaterThanOrEqual(5 * day);
    expect(time.now().getTime() - startedAt).toBeLessThan(6 * day);
    const sent = receiver.requests.length;
    given.push(await record("worker-0"));
    await time.untilIdle();
    await time.advance(day);
    await time.untilIdle();
    expect(receiver.requests).toHaveLength(sent);
    const before = await states();
    expect([...before.values()].filter((state) => state !== "pending" && state !== "dead")).toEqual([]);
    receiver.respond = respondWith(200);
    await enable();
    await time.advanceUntil(async () => ![...(await states()).values()].includes("pending"));
    const after = await states();
    expect(given.map(({ deliveryId }) => after.get(deliveryId))).toEqual(
      given.map(({ deliveryId }) => (before.get(deliveryId) === "dead" ? "dead" : "acknowledged")),
    );
    await delivery.stop();
  });
});
