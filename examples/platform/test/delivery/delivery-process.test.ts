import { describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { Leases } from "../../src/outbox/leases.ts";
import { type Store, StoreError } from "../../src/store/store.ts";
import { createWebhookQueue } from "../../src/webhooks/start-delivery.ts";
import { addOrganisation, testSchedule } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveries, workerResponse } from "./use-deliveries.ts";

describe.each(await anyStore())("deliveries on $title", ({ createDatabase }) => {
  const deliveries = useDeliveries(createDatabase);
  const { record, waitForState, readState } = deliveries;

  test("an attempt that cannot be stored is repeated and not reported", async () => {
    const id = await record(workerResponse("worker-1"));
    let isDiskFull = false;
    deliveries.receiver.respond = (request, response) => {
      isDiskFull = true;
      respondWith(200)(request, response);
    };
    const transaction: Store["transaction"] = (work) =>
      isDiskFull ? Promise.reject(new Error("disk full")) : deliveries.fixture.store.transaction(work);
    const delivery = deliveries.fixture.startDelivery({
      store: { ...deliveries.fixture.store, transaction },
      settleLimitMs: 0,
    });
    await eventually("the delivery is attempted", () => deliveries.receiver.requests.length > 0);
    await delivery.stop();
    // There is more than one attempt if the delivery was released and attempted again before the stop.
    const unstoredAttemptCount = deliveries.receiver.requests.length;
    deliveries.receiver.respond = respondWith(200);
    expect(deliveries.fixture.attempts).toEqual([]);
    expect(deliveries.fixture.errors).toContainEqual(expect.objectContaining({ message: "disk full" }));
    deliveries.fixture.startDelivery();
    await waitForState(id, "acknowledged");
    expect(deliveries.receiver.requests).toHaveLength(unstoredAttemptCount + 1);
    await eventually("the last attempt is reported", () => deliveries.fixture.attempts.length === 1);
  });

  test("an attempt is stored once the database is available again, and not repeated, however long that takes [D-155]", async () => {
    const id = await record(workerResponse("worker-1"));
    let failuresLeft = 0;
    deliveries.receiver.respond = (request, response) => {
      failuresLeft = 3;
      respondWith(200)(request, response);
    };
    const { store } = deliveries.fixture;
    const transaction: Store["transaction"] = (work) => {
      if (failuresLeft === 0) return store.transaction(work);
      failuresLeft -= 1;
      return Promise.reject(new StoreError("database_lost", "the connection was lost"));
    };
    deliveries.fixture.startDelivery({ store: { ...store, transaction }, settleLimitMs: 0 });
    await waitForState(id, "acknowledged");
    expect(failuresLeft).toBe(0);
    expect(deliveries.receiver.requests).toHaveLength(1);
  });

  test("an endpoint gets at most eight simultaneous attempts, and other endpoints do not wait for it", async () => {
    const otherReceiver = await openReceiver();
    const otherId = await addOrganisation(deliveries.fixture.store, otherReceiver.baseAddress);
    let inFlight = 0;
    let maxInFlight = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    deliveries.receiver.respond = (request, response) => {
      inFlight += 1;
      maxInFlight = Math.max(maxInFlight, inFlight);
      void released.then(() => {
        inFlight -= 1;
        respondWith(200)(request, response);
      });
    };
    const ids: string[] = [];
    for (let worker = 0; worker < 30; worker += 1) ids.push(await record(workerResponse(`worker-${worker}`)));
    deliveries.fixture.startDelivery({ attemptTimeoutMs: 20_000 });
    await eventually("the endpoint is busy", () => inFlight === 8);
    await waitForState(await record(workerResponse("worker-1"), otherId), "acknowledged");
    release();
    for (const id of ids) await waitForState(id, "acknowledged");
    expect(maxInFlight).toBe(8);
    await otherReceiver.close();
  });

  test("a delivery claimed by a process that died is attempted by a different process once its lease ends", async () => {
    const id = await record(workerResponse("worker-1"));
    const deadProcess = new Leases(deliveries.fixture.store, 500, (error) => deliveries.fixture.errors.push(error));
    const queue = createWebhookQueue(() => new Date());
    expect(await claimRows(deliveries.fixture.store, deadProcess, queue, 10)).toHaveLength(1);
    deliveries.fixture.startDelivery();
    await waitForState(id, "acknowledged");
    expect(deliveries.receiver.requests).toHaveLength(1);
  });

  test("stopping the delivery loop finishes the current attempts and starts no new attempts", async () => {
    let finish = (): void => undefined;
    deliveries.receiver.respond = (request, response) => {
      finish = () => respondWith(200)(request, response);
    };
    const delivery = deliveries.fixture.startDelivery({ attemptTimeoutMs: 20_000 });
    const id = await record(workerResponse("worker-1"));
    await eventually("the attempt is under way", () => deliveries.receiver.requests.length === 1);
    const stopped = delivery.stop();
    const nextId = await record(workerResponse("worker-2"));
    finish();
    await stopped;
    expect(await readState(id)).toBe("acknowledged");
    expect(await readState(nextId)).toBe("pending");
    deliveries.fixture.startDelivery();
    deliveries.receiver.respond = respondWith(200);
    await waitForState(nextId, "acknowledged");
  });

  test("an attempt fails without using up the schedule when the secret cannot be decrypted, and no event is lost", async () => {
    const retrySchedule = { ...testSchedule, delaysMs: [] };
    deliveries.fixture.startDelivery({ encryptionKey: new Uint8Array(32), retrySchedule });
    const id = await record(workerResponse("worker-1"));
    await eventually("the attempt is reported", () => deliveries.fixture.attempts.length === 1);
    expect(deliveries.fixture.attempts[0]).toMatchObject({ failure: "internal_error", outcome: "retry" });
    expect(deliveries.fixture.errors[0]).toMatchObject({ code: "invalid_encryption_key" });
    expect(deliveries.receiver.requests).toEqual([]);
    const { state, attempts } = await deliveries.fixture.store.db
      .selectFrom("deliveries")
      .select(["state", "attempts"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect({ state, attempts }).toEqual({ state: "pending", attempts: 0 });
  });
});
