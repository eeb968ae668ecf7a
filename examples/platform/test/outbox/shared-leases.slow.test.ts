import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { endLeases, Leases } from "../../src/outbox/leases.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { workerResponse } from "../delivery/use-deliveries.ts";
import { createSignal } from "../support/create-signal.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { acknowledge, countPending, leaseMs, queue, startRecordingDispatcher } from "./use-leases.ts";

// Only one process can use PGlite's data folder (see store.test.ts).
const shareableStores = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shareableStores)("claims by several processes on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let stores: Store[];
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);

  beforeEach(async () => {
    database = await createDatabase();
    stores = [];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await database.remove();
  });
  const openTestStore = async (options: { transactionLimitMs?: number; onError?: (error: unknown) => void } = {}) => {
    const store = await openStore({ ...database.options, onError, ...options });
    stores.push(store);
    return store.background;
  };

  test("claims by several processes respect each lane's capacity and get every row once", async () => {
    const store = await openTestStore();
    const organisationIds: string[] = [];
    for (let number = 0; number < 3; number += 1)
      organisationIds.push(await addOrganisation(store, "http://127.0.0.1:1"));
    for (const id of organisationIds) await recordDueEvents(store, id, 100);
    const claimedInLane = new Map(organisationIds.map((id) => [id, 0]));
    const claimed: number[] = [];
    let maxClaimed = 0;
    const claimUntilDone = async (): Promise<void> => {
      const processStore = await openTestStore();
      const leases = new Leases(processStore, 60_000, onError);
      while ((await countPending(processStore)) > 0) {
        const rows = (await claimRows(processStore, leases, queue, 50)) ?? [];
        for (const { rowId, lane } of rows) {
          claimed.push(rowId);
          claimedInLane.set(lane, (claimedInLane.get(lane) ?? 0) + 1);
        }
        maxClaimed = Math.max(maxClaimed, ...claimedInLane.values());
        const counts = await processStore.execute("select count(*) as count from outbox_leases group by lane");
        maxClaimed = Math.max(maxClaimed, ...counts.rows.map(({ count }) => Number(count)));
        await setTimeout(Math.random() * 20);
        for (const { lane } of rows) claimedInLane.set(lane, (claimedInLane.get(lane) ?? 0) - 1);
        if (rows.length === 0) continue;
        await processStore.transaction(async (trx) => {
          const tokens = rows.map(({ token }) => token);
          const attempted = rows.map((lease) => ({ lease }));
          const validAttempts = await endLeases(trx, "webhooks", attempted);
          expect(validAttempts.map(({ lease }) => lease.token)).toEqual(tokens);
          await acknowledge(
            trx,
            rows.map(({ rowId }) => rowId),
          );
        });
      }
      await leases.stop();
    };
    await Promise.all(Array.from({ length: 6 }, claimUntilDone));
    expect(maxClaimed).toBe(8);
    expect(claimed).toHaveLength(300);
    expect(new Set(claimed).size).toBe(300);
    expect(errors.splice(0)).toEqual([]);
  });

  test("claims reach every lane while processes start and stop, and half of them die with claimed rows [D-139]", async () => {
    const store = await openTestStore();
    const servedAt = new Map<string, number>();
    let longestWaitMs = 0;
    const recordServed = (lane: string): void => {
      longestWaitMs = Math.max(longestWaitMs, performance.now() - (servedAt.get(lane) ?? startedAt));
      servedAt.set(lane, performance.now());
    };
    const laneCount = 24;
    for (let lane = 0; lane < laneCount; lane += 1)
      await recordDueEvents(store, await addOrganisation(store, "http://127.0.0.1:1"), 60);
    const startedAt = performance.now();
    const runProcess = async (isKilled: boolean): Promise<void> => {
      const leases = new Leases(store, 500, onError);
      const endsAt = performance.now() + 200;
      for (;;) {
        await leases.releaseExpired();
        const rows = (await claimRows(store, leases, queue, 16)) ?? [];
        for (const { lane } of rows) recordServed(lane);
        if (isKilled && performance.now() > endsAt) return;
        await store.transaction(async (trx) => {
          const attempted = rows.map((lease) => ({ lease }));
          const validAttempts = await endLeases(trx, "webhooks", attempted);
          const rowIds = validAttempts.map(({ lease }) => lease.rowId);
          if (rowIds.length > 0) await acknowledge(trx, rowIds);
        });
        if (performance.now() > endsAt) return leases.stop();
      }
    };
    const runSuccessively = async (firstIndex: number): Promise<void> => {
      for (let index = firstIndex; (await countPending(store)) > 0; index += 1) await runProcess(index % 2 === 0);
    };
    await Promise.all([0, 1, 2, 3].map(runSuccessively));
    expect(servedAt.size).toBe(laneCount);
    expect(longestWaitMs).toBeLessThan(10_000);
    expect(errors.splice(0)).toEqual([]);
  });

  /** Opens a store, with a `transaction` function whose transactions wait for `resume` before they commit. */
  const openFrozenStore = async () => {
    const frozenErrors: unknown[] = [];
    const frozen = await openTestStore({ transactionLimitMs: 60_000, onError: (error) => frozenErrors.push(error) });
    let resume = (): void => undefined;
    const mayCommit = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const transaction: Store["transaction"] = (work) =>
      frozen.transaction(async (trx) => {
        const result = await work(trx);
        await mayCommit;
        return result;
      });
    return { frozen, transaction, resume, frozenErrors };
  };

  test("claims by several processes continue while one process stalls during a claim [D-70]", async () => {
    const store = await openTestStore();
    await recordDueEvents(store, await addOrganisation(store, "http://127.0.0.1:1"), 1);
    const { frozen, transaction, resume, frozenErrors } = await openFrozenStore();
    const [leases, frozenLeases] = [new Leases(store, leaseMs, onError), new Leases(frozen, leaseMs, onError)];
    const failedClaim = claimRows({ ...frozen, transaction }, frozenLeases, queue, 1).catch((error: unknown) => error);
    await setTimeout(200);
    const startedAt = performance.now();
    await eventually("the database ends the stalled transaction", async () => {
      const claimed = (await claimRows(store, leases, queue, 1)) ?? [];
      return claimed.length === 1;
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    resume();
    expect(await failedClaim).toBeInstanceOf(Error);
    expect(frozenErrors).not.toEqual([]);
    await Promise.all([leases.stop(), frozenLeases.stop()]);
    expect(errors.splice(0)).toEqual([]);
  });

  test("claims by several processes continue while one process freezes during settling, and a different process settles its row", async () => {
    const store = await openTestStore();
    const [laneId, otherId] = [
      await addOrganisation(store, "http://127.0.0.1:1"),
      await addOrganisation(store, "http://127.0.0.1:2"),
    ];
    await recordDueEvents(store, laneId, 1);
    const { frozen, resume, frozenErrors } = await openFrozenStore();
    const frozenLeases = new Leases(frozen, 1_000, onError);
    let isSettling = false;
    let isFrozen = true;
    const frozenDispatcher = startRecordingDispatcher(frozen, frozenLeases, {
      settleLimitMs: 0,
      async settle(trx, attempts) {
        await acknowledge(
          trx,
          attempts.map(({ row }) => row),
        );
        isSettling = true;
        while (isFrozen) await setTimeout(50);
        return () => void frozenDispatcher.settled.push(...attempts.map(({ row }) => row));
      },
    });
    await eventually("the process is settling", () => isSettling);
    await recordDueEvents(store, otherId, 1);
    const leases = new Leases(store, 60_000, onError);
    const startedAt = performance.now();
    await leases.releaseExpired({ includeLive: true });
    expect(performance.now() - startedAt).toBeLessThan(1_500);
    const { loop, settled } = startRecordingDispatcher(store, leases);
    await eventually("the other process settles both rows", async () => {
      await leases.releaseExpired({ includeLive: true });
      return settled.length === 2;
    });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    isFrozen = false;
    resume();
    await frozenDispatcher.loop.stop();
    expect(frozenDispatcher.settled).toEqual([]);
    expect(frozenErrors).not.toEqual([]);
    await loop.stop();
    await Promise.all([leases.stop(), frozenLeases.stop()]);
    expect(errors.splice(0)).toEqual([]);
  });

  test("settling waits two seconds at most for a process that stalls while it records an event, and only for that event's predecessor [D-70]", async () => {
    const store = await openTestStore();
    const [headId, otherId] = [
      await addOrganisation(store, "http://127.0.0.1:1"),
      await addOrganisation(store, "http://127.0.0.1:2"),
    ];
    const record = ({ transaction }: Pick<Store, "transaction">) =>
      transaction((trx) => recordEvent(trx, headId, workerResponse("worker-1")));
    await record(store);
    await recordDueEvents(store, otherId, 1);
    const frozenErrors: unknown[] = [];
    const onFrozenError = (error: unknown): void => void frozenErrors.push(error);
    const web = await openStore({ ...database.options, onError: onFrozenError, transactionLimitMs: 60_000 });
    stores.push(web);
    const [stalled, markStalled] = createSignal();
    const [mayResume, resume] = createSignal();
    const stallingTransaction: Store["transaction"] = (work) =>
      web.transaction(async (trx) => {
        const result = await work(trx);
        markStalled();
        await mayResume;
        return result;
      });
    const [settling, markSettling] = createSignal();
    const leases = new Leases(store, 60_000, onError);
    const { loop, settled, attempted } = startRecordingDispatcher(store, leases, {
      async attempt(rowId) {
        attempted.push(rowId);
        await stalled;
        return "done";
      },
      async settle(trx, attempts) {
        markSettling();
        const rowIds = attempts.map(({ row }) => row);
        await acknowledge(trx, rowIds);
        return () => void settled.push(...rowIds);
      },
    });
    await eventually("both rows are being attempted", () => attempted.length === 2);
    const failedRecord = record({ transaction: stallingTransaction }).catch((error: unknown) => error);
    await settling;
    const startedAt = performance.now();
    await recordDueEvents(store, otherId, 1);
    loop.wake();
    await eventually("all rows are settled", () => settled.length === 3);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    // The delivery that waits has the lowest sequence. Without the stall, it would be settled first.
    expect(settled.at(-1)).toBe(Math.min(...settled));
    expect(attempted).toHaveLength(3);
    resume();
    expect(await failedRecord).toMatchObject({ code: expect.stringMatching(/^(database_lost|commit_uncertain)$/) });
    expect(frozenErrors).not.toEqual([]);
    await loop.stop();
    await leases.stop();
    expect(errors.splice(0)).toEqual([]);
  });
});
