import { setTimeout } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { endLeases, Leases } from "../../src/outbox/leases.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store } from "../../src/store/store.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";
import { acknowledge, countPending, dispatch, leaseMs, queue } from "./use-leases.ts";

// Only one process can use PGlite's data folder: see store.test.ts.
const shared = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shared)("claims by several processes on $title", ({ createDatabase }) => {
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
  const open = async (options: { transactionLimitMs?: number; onError?: (error: unknown) => void } = {}) => {
    const store = await openStore({ ...database.options, onError, ...options });
    stores.push(store);
    return store.background;
  };

  test("respect each lane's capacity, repeat no row and skip none", async () => {
    const store = await open();
    const organisationIds: string[] = [];
    for (let number = 0; number < 3; number += 1)
      organisationIds.push(await addOrganisation(store, "http://127.0.0.1:1"));
    for (const id of organisationIds) await recordDueEvents(store, id, 100);
    const under = new Map(organisationIds.map((id) => [id, 0]));
    const claimed: number[] = [];
    let most = 0;
    const work = async (): Promise<void> => {
      const own = await open();
      const leases = new Leases(own, 60_000, onError);
      while ((await countPending(own)) > 0) {
        const rows = (await claimRows(own, leases, queue, 50)) ?? [];
        for (const { rowId, lane } of rows) {
          claimed.push(rowId);
          under.set(lane, (under.get(lane) ?? 0) + 1);
        }
        most = Math.max(most, ...under.values());
        const counts = await own.execute("select count(*) as count from outbox_leases group by lane");
        most = Math.max(most, ...counts.rows.map(({ count }) => Number(count)));
        await setTimeout(Math.random() * 20);
        for (const { lane } of rows) under.set(lane, (under.get(lane) ?? 0) - 1);
        if (rows.length === 0) continue;
        await own.transaction(async (trx) => {
          const tokens = rows.map(({ token }) => token);
          const attempted = rows.map((lease) => ({ lease }));
          const held = await endLeases(trx, "webhooks", attempted);
          expect(held.map(({ lease }) => lease.token)).toEqual(tokens);
          await acknowledge(
            trx,
            rows.map(({ rowId }) => rowId),
          );
        });
      }
      await leases.stop();
    };
    await Promise.all(Array.from({ length: 6 }, work));
    expect(most).toBe(8);
    expect(claimed).toHaveLength(300);
    expect(new Set(claimed).size).toBe(300);
    expect(errors.splice(0)).toEqual([]);
  });

  test("reach every lane while processes come and go, and half of them are killed with claimed rows [D-139]", async () => {
    const store = await open();
    const servedAt = new Map<string, number>();
    let longestMs = 0;
    const serve = (lane: string): void => {
      longestMs = Math.max(longestMs, performance.now() - (servedAt.get(lane) ?? began));
      servedAt.set(lane, performance.now());
    };
    const lanes = 24;
    for (let lane = 0; lane < lanes; lane += 1)
      await recordDueEvents(store, await addOrganisation(store, "http://127.0.0.1:1"), 60);
    const began = performance.now();
    const live = async (isKilled: boolean): Promise<void> => {
      const leases = new Leases(store, 500, onError);
      const endsAt = performance.now() + 200;
      for (;;) {
        await leases.releaseExpired();
        const rows = (await claimRows(store, leases, queue, 16)) ?? [];
        for (const { lane } of rows) serve(lane);
        if (isKilled && performance.now() > endsAt) return;
        await store.transaction(async (trx) => {
          const attempted = rows.map((lease) => ({ lease }));
          const held = await endLeases(trx, "webhooks", attempted);
          const rowIds = held.map(({ lease }) => lease.rowId);
          if (rowIds.length > 0) await acknowledge(trx, rowIds);
        });
        if (performance.now() > endsAt) return leases.stop();
      }
    };
    const succeedEachOther = async (place: number): Promise<void> => {
      for (let lives = place; (await countPending(store)) > 0; lives += 1) await live(lives % 2 === 0);
    };
    await Promise.all([0, 1, 2, 3].map(succeedEachOther));
    expect(servedAt.size).toBe(lanes);
    expect(longestMs).toBeLessThan(10_000);
    expect(errors.splice(0)).toEqual([]);
  });

  /** Opens a store whose transactions wait before they commit. */
  const openStill = async () => {
    const stillErrors: unknown[] = [];
    const still = await open({ transactionLimitMs: 60_000, onError: (error) => stillErrors.push(error) });
    let goOn = (): void => undefined;
    const standingStill = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const transaction: Store["transaction"] = (work) =>
      still.transaction(async (trx) => {
        const result = await work(trx);
        await standingStill;
        return result;
      });
    return { still, transaction, goOn, stillErrors };
  };

  test("continue while one process stalls in the middle of a claim [D-70]", async () => {
    const store = await open();
    await recordDueEvents(store, await addOrganisation(store, "http://127.0.0.1:1"), 1);
    const { still, transaction, goOn, stillErrors } = await openStill();
    const [leases, stillLeases] = [new Leases(store, leaseMs, onError), new Leases(still, leaseMs, onError)];
    const neverMade = claimRows({ ...still, transaction }, stillLeases, queue, 1).catch((error: unknown) => error);
    await setTimeout(200);
    const began = performance.now();
    await eventually("the database ends its transaction", async () => {
      const claimed = (await claimRows(store, leases, queue, 1)) ?? [];
      return claimed.length === 1;
    });
    expect(performance.now() - began).toBeLessThan(10_000);
    goOn();
    expect(await neverMade).toBeInstanceOf(Error);
    expect(stillErrors).not.toEqual([]);
    await Promise.all([leases.stop(), stillLeases.stop()]);
    expect(errors.splice(0)).toEqual([]);
  });

  test("continue while one process freezes in the middle of settling, and its row is taken over", async () => {
    const store = await open();
    const [oneId, otherId] = [
      await addOrganisation(store, "http://127.0.0.1:1"),
      await addOrganisation(store, "http://127.0.0.1:2"),
    ];
    await recordDueEvents(store, oneId, 1);
    const { still, goOn, stillErrors } = await openStill();
    const stillLeases = new Leases(still, 1_000, onError);
    let isSettling = false;
    let isStill = true;
    const stuck = dispatch(still, stillLeases, {
      settleLimitMs: 0,
      async settle(trx, made) {
        await endLeases(trx, queue.name, made);
        await acknowledge(
          trx,
          made.map(({ row }) => row),
        );
        isSettling = true;
        while (isStill) await setTimeout(50);
        return () => void stuck.settled.push(...made.map(({ row }) => row));
      },
    });
    await eventually("it is settling", () => isSettling);
    await recordDueEvents(store, otherId, 1);
    const leases = new Leases(store, 60_000, onError);
    const began = performance.now();
    await leases.releaseExpired({ includeLive: true });
    expect(performance.now() - began).toBeLessThan(1_500);
    const { loop, settled } = dispatch(store, leases);
    await eventually("both are settled by the other", async () => {
      await leases.releaseExpired({ includeLive: true });
      return settled.length === 2;
    });
    expect(performance.now() - began).toBeLessThan(10_000);
    isStill = false;
    goOn();
    await stuck.loop.stop();
    expect(stuck.settled).toEqual([]);
    expect(stillErrors).not.toEqual([]);
    await loop.stop();
    await Promise.all([leases.stop(), stillLeases.stop()]);
    expect(errors.splice(0)).toEqual([]);
  });
});
