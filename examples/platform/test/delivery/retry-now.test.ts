import { defaultBreakerPolicy } from "@offers/contract/circuit-breaker";
import { describe, expect, test } from "vitest";
import { retryAllNow, retryNow } from "../../src/webhooks/redeliver.ts";
import { eventually } from "../support/eventually.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveries, workerResponse } from "./use-deliveries.ts";

/** Attempts are a day apart after the first failure, so that any further attempt in a test was requested by a user. */
const daily = { delaysMs: Array.from({ length: 3 }, () => 86_400_000), jitter: 0, maxRetryAfterMs: 0 };

describe.each(await anyStore())("an immediate retry on $title", ({ createDatabase }) => {
  const deliveries = useDeliveries(createDatabase);
  const { record, becomes, receivedIds } = deliveries;
  const retry = (id: string, organisationId = deliveries.organisationId) =>
    retryNow(deliveries.fixture.store, organisationId, id, new Date());
  const retryAll = () => retryAllNow(deliveries.fixture.store, deliveries.organisationId, new Date());
  const attemptsAre = (count: number) =>
    eventually(`${count} attempts are stored`, () => deliveries.fixture.attempts.length === count);
  const setEndpoint = (values: { disabled_at: Date; disabled_because: "gone" }) =>
    deliveries.fixture.store.db
      .updateTable("endpoints")
      .set(values)
      .where("organisation_id", "=", deliveries.organisationId)
      .execute();

  test("attempts a delivery that is waiting for its next attempt [D-130]", async () => {
    deliveries.receiver.respond = respondWith(503);
    deliveries.fixture.startDelivery({ retrySchedule: daily });
    const [waiting, other] = [await record(workerResponse("worker-1")), await record(workerResponse("worker-2"))];
    await attemptsAre(2);
    deliveries.receiver.respond = respondWith(200);
    expect(await retry(waiting)).toEqual({ outcome: "retried", id: waiting });
    await becomes(waiting, "acknowledged");
    expect(await deliveries.stateOf(other)).toBe("pending");
    expect(receivedIds().filter((id) => id === waiting)).toHaveLength(2);
  });

  test("does not use up the schedule during an outage [D-130]", async () => {
    deliveries.receiver.respond = respondWith(503);
    deliveries.fixture.startDelivery({ retrySchedule: daily, breaker: { ...defaultBreakerPolicy, failures: 100 } });
    const id = await record(workerResponse("worker-1"));
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      await attemptsAre(attempt);
      expect(await retry(id)).toEqual({ outcome: "retried", id });
    }
    await attemptsAre(7);
    expect(await deliveries.stateOf(id)).toBe("pending");
  });

  test("attempts the response that another one is waiting for first, then the other [D-130]", async () => {
    deliveries.receiver.respond = respondWith(503);
    deliveries.fixture.startDelivery({ retrySchedule: daily });
    const earlier = await record(workerResponse("worker-1"));
    const later = await record(workerResponse("worker-1", "rejected"));
    await attemptsAre(1);
    deliveries.receiver.respond = respondWith(200);
    expect(await retry(later)).toEqual({ outcome: "retried", id: earlier });
    await becomes(later, "acknowledged");
    expect(receivedIds()).toEqual([earlier, earlier, later]);
  });

  test("does not attempt a delivery twice in parallel", async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    deliveries.receiver.respond = (request, response) => void released.then(() => respondWith(200)(request, response));
    deliveries.fixture.startDelivery({ retrySchedule: daily });
    const id = await record(workerResponse("worker-1"));
    await eventually("it is under way", () => deliveries.receiver.requests.length === 1);
    expect(await retry(id)).toEqual({ outcome: "retried", id });
    expect(await retryAll()).toBeUndefined();
    const next = await record(workerResponse("worker-2"));
    await eventually("another one is under way", () => deliveries.receiver.requests.length === 2);
    expect(receivedIds()).toEqual([id, next]);
    release();
  });

  test("attempts all waiting deliveries, in the order of each worker's responses", async () => {
    deliveries.receiver.respond = respondWith(503);
    deliveries.fixture.startDelivery({ retrySchedule: daily });
    const ids: string[] = [];
    for (const worker of ["worker-1", "worker-2", "worker-3"]) ids.push(await record(workerResponse(worker)));
    await attemptsAre(3);
    const last = await record(workerResponse("worker-1", "rejected"));
    deliveries.receiver.respond = respondWith(200);
    deliveries.receiver.requests.length = 0;
    expect(await retryAll()).toBeUndefined();
    await deliveries.allSettled();
    expect(receivedIds().toSorted()).toEqual([...ids, last].toSorted());
    expect(receivedIds().indexOf(last)).toBeGreaterThan(receivedIds().indexOf(ids[0]));
  });

  test("ends the circuit breaker's pause with one attempt, and the others follow when it is acknowledged [D-130]", async () => {
    const breaker = { ...defaultBreakerPolicy, failures: 1, firstPauseMs: 86_400_000, maxPauseMs: 86_400_000 };
    deliveries.receiver.respond = respondWith(503);
    deliveries.fixture.startDelivery({ retrySchedule: daily, breaker });
    const first = await record(workerResponse("worker-1"));
    await attemptsAre(1);
    const second = await record(workerResponse("worker-2"));
    expect(await retry(first)).toEqual({ outcome: "retried", id: first });
    // The probe fails, so the breaker opens again.
    await attemptsAre(2);
    deliveries.receiver.respond = respondWith(200);
    expect(await retryAll()).toBeUndefined();
    await becomes(first, "acknowledged");
    await becomes(second, "acknowledged");
    await attemptsAre(4);
  });

  test("attempts nothing at a disabled endpoint or without an endpoint", async () => {
    const id = await record(workerResponse("worker-1"));
    await setEndpoint({ disabled_at: new Date(), disabled_because: "gone" });
    expect([await retry(id), await retryAll()]).toEqual([{ outcome: "disabled" }, "disabled"]);
    await deliveries.fixture.store.db.deleteFrom("endpoints").execute();
    expect([await retry(id), await retryAll()]).toEqual([{ outcome: "no_endpoint" }, "no_endpoint"]);
  });

  test("is rejected for a settled, foreign or unknown delivery", async () => {
    deliveries.fixture.startDelivery();
    const id = await record(workerResponse("worker-1"));
    await becomes(id, "acknowledged");
    expect(await retry(id)).toEqual({ outcome: "settled" });
    expect(await retry(id, "another")).toEqual({ outcome: "unknown" });
    expect(await retry("unknown")).toEqual({ outcome: "unknown" });
  });
});
