import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { describe, expect, test } from "vitest";
import { retryAllNow, retryNow } from "../../src/webhooks/redeliver.ts";
import { eventually } from "../support/eventually.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveries, workerResponse } from "./use-deliveries.ts";

/** Attempts are a day apart, so any later attempt in a test was requested by a user. */
const dailySchedule = { delaysMs: Array.from({ length: 3 }, () => 86_400_000), jitter: 0, maxRetryAfterMs: 0 };

describe.each(await anyStore())("immediate retries on $title", ({ createDatabase }) => {
  const deliveries = useDeliveries(createDatabase);
  const { record, waitForState, listReceivedIds } = deliveries;
  const retry = (id: string, organisationId = deliveries.organisationId) =>
    retryNow(deliveries.fixture.store, organisationId, id, new Date());
  const retryAll = () => retryAllNow(deliveries.fixture.store, deliveries.organisationId, new Date());
  const waitForAttempts = (count: number) =>
    eventually(`${count} attempts are stored`, () => deliveries.fixture.attempts.length === count);
  const updateEndpoint = (values: { disabled_at: Date; disabled_because: "gone" }) =>
    deliveries.fixture.store.db
      .updateTable("endpoints")
      .set(values)
      .where("organisation_id", "=", deliveries.organisationId)
      .execute();

  test("an immediate retry attempts a delivery that is waiting for its next attempt [D-130]", async () => {
    deliveries.receiver.respond = respondWith(503);
    deliveries.fixture.startDelivery({ retrySchedule: dailySchedule });
    const [waitingId, otherId] = [await record(workerResponse("worker-1")), await record(workerResponse("worker-2"))];
    await waitForAttempts(2);
    deliveries.receiver.respond = respondWith(200);
    expect(await retry(waitingId)).toEqual({ outcome: "retried", id: waitingId });
    await waitForState(waitingId, "acknowledged");
    expect(await deliveries.readState(otherId)).toBe("pending");
    expect(listReceivedIds().filter((id) => id === waitingId)).toHaveLength(2);
  });

  test("immediate retries do not use up the schedule during an outage [D-130]", async () => {
    deliveries.receiver.respond = respondWith(503);
    deliveries.fixture.startDelivery({
      retrySchedule: dailySchedule,
      breaker: { ...defaultBreakerPolicy, failures: 100 },
    });
    const id = await record(workerResponse("worker-1"));
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await waitForAttempts(attempt);
      expect(await retry(id)).toEqual({ outcome: "retried", id });
    }
    await waitForAttempts(7);
    expect(await deliveries.readState(id)).toBe("pending");
  });

  test("an immediate retry of a response first attempts the earlier response that it is waiting for [D-130]", async () => {
    deliveries.receiver.respond = respondWith(503);
    deliveries.fixture.startDelivery({ retrySchedule: dailySchedule });
    const earlier = await record(workerResponse("worker-1"));
    const later = await record(workerResponse("worker-1", "rejected"));
    await waitForAttempts(1);
    deliveries.receiver.respond = respondWith(200);
    expect(await retry(later)).toEqual({ outcome: "retried", id: earlier });
    await waitForState(later, "acknowledged");
    expect(listReceivedIds()).toEqual([earlier, earlier, later]);
  });

  test("an immediate retry does not attempt a delivery twice in parallel", async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    deliveries.receiver.respond = (request, response) => void released.then(() => respondWith(200)(request, response));
    deliveries.fixture.startDelivery({ retrySchedule: dailySchedule });
    const id = await record(workerResponse("worker-1"));
    await eventually("the attempt is under way", () => deliveries.receiver.requests.length === 1);
    expect(await retry(id)).toEqual({ outcome: "retried", id });
    expect(await retryAll()).toBeUndefined();
    const nextId = await record(workerResponse("worker-2"));
    await eventually("the next delivery is under way", () => deliveries.receiver.requests.length === 2);
    expect(listReceivedIds()).toEqual([id, nextId]);
    release();
  });

  test("an immediate retry of all deliveries attempts the waiting deliveries in the order of each worker's responses", async () => {
    deliveries.receiver.respond = respondWith(503);
    deliveries.fixture.startDelivery({ retrySchedule: dailySchedule });
    const ids: string[] = [];
    for (const worker of ["worker-1", "worker-2", "worker-3"]) ids.push(await record(workerResponse(worker)));
    await waitForAttempts(3);
    const last = await record(workerResponse("worker-1", "rejected"));
    deliveries.receiver.respond = respondWith(200);
    deliveries.receiver.requests.length = 0;
    expect(await retryAll()).toBeUndefined();
    await deliveries.waitUntilSettled();
    expect(listReceivedIds().toSorted()).toEqual([...ids, last].toSorted());
    expect(listReceivedIds().indexOf(last)).toBeGreaterThan(listReceivedIds().indexOf(ids[0]));
  });

  test("an immediate retry ends the circuit breaker's pause with one attempt, and the other deliveries follow once it is acknowledged [D-130]", async () => {
    const breaker = { ...defaultBreakerPolicy, failures: 1, firstPauseMs: 86_400_000, maxPauseMs: 86_400_000 };
    deliveries.receiver.respond = respondWith(503);
    deliveries.fixture.startDelivery({ retrySchedule: dailySchedule, breaker });
    const first = await record(workerResponse("worker-1"));
    await waitForAttempts(1);
    const second = await record(workerResponse("worker-2"));
    expect(await retry(first)).toEqual({ outcome: "retried", id: first });
    // The probe fails, so the breaker opens again.
    await waitForAttempts(2);
    deliveries.receiver.respond = respondWith(200);
    expect(await retryAll()).toBeUndefined();
    await waitForState(first, "acknowledged");
    await waitForState(second, "acknowledged");
    await waitForAttempts(4);
  });

  test("an immediate retry does nothing if the endpoint is disabled or missing", async () => {
    const id = await record(workerResponse("worker-1"));
    await updateEndpoint({ disabled_at: new Date(), disabled_because: "gone" });
    expect([await retry(id), await retryAll()]).toEqual([{ outcome: "disabled" }, "disabled"]);
    await deliveries.fixture.store.db.deleteFrom("endpoints").execute();
    expect([await retry(id), await retryAll()]).toEqual([{ outcome: "no_endpoint" }, "no_endpoint"]);
  });

  test("an immediate retry of a settled, foreign or unknown delivery is rejected", async () => {
    deliveries.fixture.startDelivery();
    const id = await record(workerResponse("worker-1"));
    await waitForState(id, "acknowledged");
    expect(await retry(id)).toEqual({ outcome: "settled" });
    expect(await retry(id, "another")).toEqual({ outcome: "unknown" });
    expect(await retry("unknown")).toEqual({ outcome: "unknown" });
  });
});
