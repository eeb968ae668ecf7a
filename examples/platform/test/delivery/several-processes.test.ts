import { describe, expect, test } from "vitest";
import type { Trx } from "../../src/store/store.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { redeliver, redeliverDeliveries, restartSchedules } from "../../src/webhooks/redeliver.ts";
import { createSignal } from "../support/create-signal.ts";
import { addOrganisation, openDeliveryFixture } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, respondWith } from "../support/receiver.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { useDeliveries, type WorkerResponse, workerResponse } from "./use-deliveries.ts";

// Only one process can use PGlite's data folder (see store.test.ts).
const shareableStores = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shareableStores)("several processes on $title", ({ createDatabase }) => {
  test("several processes share the deliveries and attempt each once", async () => {
    const database = await createDatabase();
    const receiver = await openReceiver();
    const fixtures = await Promise.all([1, 2, 3].map(() => openDeliveryFixture(database)));
    const [first] = fixtures;
    if (first === undefined) throw new Error("nothing was opened");
    const organisationIds: string[] = [];
    for (let index = 0; index < 5; index += 1)
      organisationIds.push(await addOrganisation(first.store, receiver.baseAddress));
    await first.store.transaction(async (trx) => {
      for (const organisationId of organisationIds)
        for (let worker = 0; worker < 60; worker += 1)
          await recordEvent(trx, organisationId, workerResponse(`worker-${worker % 30}`));
    });
    for (const fixture of fixtures) fixture.startDelivery();
    const pending = () => first.store.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute();
    await eventually("all events are delivered", async () => (await pending()).length === 0);
    const ids = receiver.requests.map(({ headers }) => headers["offers-delivery-id"]);
    expect(ids).toHaveLength(300);
    expect(new Set(ids).size).toBe(300);
    await Promise.all(fixtures.map((fixture) => fixture.close()));
    expect(fixtures.flatMap(({ errors }) => errors)).toEqual([]);
    expect(fixtures.flatMap(({ attempts }) => attempts)).toHaveLength(300);
    await receiver.close();
    await database.remove();
  });

  describe("with one worker's responses", () => {
    const deliveries = useDeliveries(createDatabase);
    const { listReceivedIds, waitUntilSettled } = deliveries;

    const recordResponse = async (trx: Trx, response: WorkerResponse): Promise<string> => {
      const { deliveryId = "" } = await recordEvent(
        trx,
        deliveries.organisationId,
        workerResponse("worker-1", response),
      );
      return deliveryId;
    };
    const record = (response: WorkerResponse) =>
      deliveries.fixture.store.transaction((trx) => recordResponse(trx, response));
    const settleIn = (trx: Trx, id: string, state: "acknowledged" | "dead") =>
      trx.updateTable("deliveries").set({ state, due_at: null }).where("id", "=", id).execute();
    /** Runs `work` in a transaction. @returns a function that commits it */
    const runUncommitted = async (work: (trx: Trx) => Promise<unknown>): Promise<() => Promise<void>> => {
      const [workDone, markDone] = createSignal();
      const [commitAllowed, allowCommit] = createSignal();
      const transaction = deliveries.fixture.store.transaction(async (trx) => {
        await work(trx);
        markDone();
        await commitAllowed;
      });
      await workDone;
      return () => {
        allowCommit();
        return transaction;
      };
    };
    const waitForBlockedTransaction = () =>
      eventually("a transaction waits for a lock", async () => {
        const { rows } = await deliveries.fixture.store.execute(
          `select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });

    test("a worker's responses stay in order when the oldest response is settled while a later response is recorded", async () => {
      const first = await record("accepted");
      const commit = await runUncommitted((trx) => recordResponse(trx, "rejected"));
      deliveries.fixture.startDelivery();
      await waitForBlockedTransaction();
      await commit();
      await waitUntilSettled();
      const received = listReceivedIds();
      expect([received[0], received.length]).toEqual([first, 2]);
    });

    test("several processes do not redeliver a failed delivery while a later response is being recorded", async () => {
      const dead = await record("accepted");
      await deliveries.fixture.store.transaction((trx) => settleIn(trx, dead, "dead"));
      const commit = await runUncommitted((trx) => recordResponse(trx, "rejected"));
      const redelivery = redeliver(deliveries.fixture.store, deliveries.organisationId, dead);
      await waitForBlockedTransaction();
      await commit();
      expect(await redelivery).toEqual({ outcome: "superseded" });
    });

    test("an event is redelivered even if the event before it is being settled [D-74]", async () => {
      const [first, second] = [await record("accepted"), await record("rejected")];
      await deliveries.fixture.store.transaction(async (trx) => {
        await settleIn(trx, first, "dead");
        await settleIn(trx, second, "dead");
      });
      await redeliver(deliveries.fixture.store, deliveries.organisationId, first);
      const commit = await runUncommitted((trx) => redeliverDeliveries(trx, deliveries.organisationId, [second]));
      deliveries.fixture.startDelivery();
      await waitForBlockedTransaction();
      await commit();
      await waitUntilSettled();
      expect(listReceivedIds()).toEqual([first, second]);
    });

    test("a delivery's schedule can be restarted while a later response is being recorded", async () => {
      deliveries.receiver.respond = respondWith(503, { "retry-after": "60" });
      const delivery = deliveries.fixture.startDelivery();
      const first = await record("accepted");
      await eventually("the delivery is postponed", () => deliveries.fixture.attempts.length === 1);
      await delivery.stop();
      const commit = await runUncommitted((trx) => recordResponse(trx, "rejected"));
      const restart = restartSchedules(deliveries.fixture.store, deliveries.organisationId);
      await waitForBlockedTransaction();
      await commit();
      await restart;
      const row = deliveries.fixture.store.db
        .selectFrom("deliveries")
        .select(["attempts", "due_at"])
        .where("id", "=", first);
      const { attempts, due_at: dueAt } = await row.executeTakeFirstOrThrow();
      expect(attempts).toBe(0);
      expect(dueAt?.getTime()).toBeLessThanOrEqual(Date.now());
    });
  });
});
