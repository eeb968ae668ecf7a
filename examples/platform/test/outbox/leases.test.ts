import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { webhooks } from "../../src/delivery/webhook-queue.ts";
import { claimRows } from "../../src/outbox/claim-rows.ts";
import { endLeases, Leases, nextWakeupMs } from "../../src/outbox/leases.ts";
import { openLeases } from "../../src/outbox/open-leases.ts";
import type { Lease, OutboxQueue } from "../../src/outbox/outbox-queue.ts";
import type { Loop } from "../../src/outbox/run-loop.ts";
import { type DispatcherOptions, startDispatcher } from "../../src/outbox/start-dispatcher.ts";
import { openStore } from "../../src/store/open-store.ts";
import type { Store, Trx } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";
import { addOrganisation } from "../support/lower-half.ts";
import { recordDue } from "../support/record-due.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";

const leaseMs = 2_000;
const queue = webhooks(() => new Date());
/** Lanes that are always open, and as wide as a claim. */
const wide: OutboxQueue = {
  ...{ name: "webhooks", table: "deliveries", id: "sequence", lane: "organisation_id", capacity: 100 },
};

const acknowledge = (trx: Trx, rowIds: readonly number[]) =>
  trx
    .updateTable("deliveries")
    .set({ state: "acknowledged", due_at: null })
    .where("sequence", "in", rowIds)
    .where("state", "=", "pending")
    .execute();

const waiting = async (store: Store): Promise<number> =>
  (await store.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute()).length;

const leased = async (store: Store): Promise<number> => (await store.execute("select from outbox_leases")).rows.length;

/** Notes what it attempts; attempting and settling do nothing but that, unless told otherwise. */
function dispatch(store: Store, leases: Leases, options: Partial<DispatcherOptions<number, string>> = {}) {
  const attempted: number[] = [];
  const settled: number[] = [];
  const errors: unknown[] = [];
  const loop = startDispatcher<number, string>({
    ...{ store, leases, queue, maxUnderWay: 100, onError: (error) => void errors.push(error) },
    load: async (rowIds) => new Map(rowIds.map((rowId) => [rowId, rowId])),
    async attempt(rowId) {
      attempted.push(rowId);
      return "done";
    },
    async settle(trx, made) {
      const rowIds = made.map(({ row }) => row);
      await acknowledge(trx, rowIds);
      return () => void settled.push(...rowIds);
    },
    ...options,
  });
  return { loop, attempted, settled, errors };
}

describe.each(await storesUnderTest())("claims on $title", ({ createPlace }) => {
  let place: StorePlace;
  let store: Store;
  let organisationId: string;
  let all: Leases[];
  let loops: Loop[];
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);

  beforeEach(async () => {
    place = await createPlace();
    store = await openStore({ ...place.options, onError });
    organisationId = await addOrganisation(store, "http://127.0.0.1:1");
    all = [];
    loops = [];
  });
  afterEach(async () => {
    await Promise.all(loops.map((loop) => loop.stop()));
    await Promise.all(all.map((leases) => leases.stop()));
    await store.close();
    expect(errors.splice(0)).toEqual([]);
    await place.remove();
  });

  /** As a process has them. */
  const newProcess = (ms = leaseMs): Leases => {
    const leases = new Leases(store, ms, onError);
    all.push(leases);
    return leases;
  };
  const claim = (leases: Leases, limit = 10) => claimRows(store, leases, queue, limit);
  const claimOne = async (leases: Leases): Promise<Lease> => {
    const [lease] = (await claim(leases)) ?? [];
    if (lease === undefined) throw new Error("nothing was claimed");
    return lease;
  };
  /** Once others have let go of it. */
  const takeOver = async (leases: Leases): Promise<Lease> => {
    let lease: Lease | undefined;
    await eventually("it is taken over", async () => {
      await leases.freeLapsed();
      [lease] = (await claim(leases)) ?? [];
      return lease !== undefined;
    });
    if (lease === undefined) throw new Error("nothing was claimed");
    return lease;
  };
  const end = (...ended: Lease[]) => store.transaction((trx) => endLeases(trx, "webhooks", ended));
  const start = (...given: Parameters<typeof dispatch>) => {
    const dispatched = dispatch(...given);
    loops.push(dispatched.loop);
    return dispatched;
  };

  test("lapse when nobody renews them, and cannot settle the row under their old token", async () => {
    await recordDue(store, organisationId, 1);
    const [dead, other] = [newProcess(), newProcess()];
    const began = performance.now();
    const first = await claimOne(dead);
    await other.freeLapsed();
    expect(await claim(other)).toBeUndefined();
    const second = await takeOver(other);
    expect(performance.now() - began).toBeGreaterThanOrEqual(leaseMs);
    expect(second).toEqual({ ...first, token: expect.any(Number) });
    expect(second.token).toBeGreaterThan(first.token);
    expect(await end(first)).toEqual(new Set());
    expect(await leased(store)).toBe(1);
    expect(await end(second)).toEqual(new Set([second.token]));
  });

  test("are a fence: what a process that stood still has come to changes nothing any more", async () => {
    await recordDue(store, organisationId, 1);
    let finish = (_: string): void => undefined;
    const result = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const still = start(store, newProcess(), { maxUnderWay: 1, attempt: () => result });
    await eventually("it is under way", async () => (await leased(store)) === 1);
    const other = newProcess();
    await other.freeLapsed(true);
    const taken = start(store, other);
    await eventually("another one settles it", () => taken.settled.length === 1);
    await store.execute("update deliveries set state = 'dead'");
    finish("done");
    await still.loop.stop();
    expect([still.settled, still.errors]).toEqual([[], []]);
    expect((await store.execute("select state from deliveries")).rows).toEqual([{ state: "dead" }]);
  });

  test("do not lapse while the work goes on, however long it takes, and then do", async () => {
    await recordDue(store, organisationId, 1);
    const [leases, other] = [newProcess(), newProcess()];
    const first = await claimOne(leases);
    await leases.during(async () => {
      await setTimeout(3 * leaseMs);
      await other.freeLapsed();
      expect(await claim(other)).toBeUndefined();
    });
    expect((await takeOver(other)).rowId).toBe(first.rowId);
  });

  test("do not lapse because the event loop was busy for two thirds of a lease", async () => {
    await recordDue(store, organisationId, 1);
    const [leases, other] = [newProcess(), newProcess()];
    await claimOne(leases);
    await leases.during(async () => {
      for (let times = 0; times < 3; times += 1) {
        const until = performance.now() + (leaseMs * 2) / 3;
        while (performance.now() < until);
        await setTimeout(700);
      }
      await other.freeLapsed();
      expect(await claim(other)).toBeUndefined();
    });
  });

  test("are not taken from itself by a process that was late", async () => {
    await recordDue(store, organisationId, 1);
    const leases = newProcess(1);
    const lease = await claimOne(leases);
    await setTimeout(50);
    await leases.freeLapsed();
    expect(await claim(leases)).toBeUndefined();
    expect(await end(lease)).toEqual(new Set([lease.token]));
  });

  test("that lapsed wake their lanes", async () => {
    const otherId = await addOrganisation(store, "http://127.0.0.1:2");
    for (const id of [organisationId, otherId]) await recordDue(store, id, 1);
    expect(await claim(newProcess(1))).toHaveLength(2);
    const other = newProcess();
    expect(await nextWakeupMs(store, "webhooks")).toBe(Number.POSITIVE_INFINITY);
    await setTimeout(50);
    await other.freeLapsed();
    expect(await nextWakeupMs(store, "webhooks")).toBeLessThanOrEqual(0);
    expect(new Set((await claim(other))?.map(({ lane }) => lane))).toEqual(new Set([organisationId, otherId]));
    expect((await store.execute("select id from outbox_processes")).rows).toEqual([{ id: other.processId }]);
  });

  test("of a process that ends are free at once, all of them", async () => {
    await recordDue(store, organisationId, 3);
    const ending = newProcess(60_000);
    const first = await claim(ending);
    await ending.stop();
    const second = await claim(newProcess());
    expect(second?.map(({ rowId }) => rowId)).toEqual(first?.map(({ rowId }) => rowId));
    expect(await end(...(first ?? []))).toEqual(new Set());
    expect(await leased(store)).toBe(3);
  });

  test("that a process does not work on are free at once, and no others", async () => {
    await recordDue(store, organisationId, 3);
    const [leases, other] = [newProcess(), newProcess()];
    const [kept, ...strays] = (await claim(leases, 2)) ?? [];
    await claim(other, 1);
    await leases.freeAllBut("webhooks", [kept?.token ?? 0]);
    expect((await claim(leases))?.map(({ rowId }) => rowId)).toEqual(strays.map(({ rowId }) => rowId));
    await leases.freeAllBut("pushes", []);
    expect(await leased(store)).toBe(3);
  });

  test("whose commit was reported as a failure leave no row leased for ever", async () => {
    await recordDue(store, organisationId, 20);
    let isLost = true;
    const transaction: Store["transaction"] = async (work) => {
      const result = await store.transaction(work);
      if (isLost) throw new Error("the connection was lost");
      return result;
    };
    const { settled, errors: reported } = start({ ...store, transaction }, newProcess());
    await eventually("it fails", () => reported.length > 0);
    isLost = false;
    await eventually("all are settled", () => settled.length === 20);
    expect(await leased(store)).toBe(0);
  });

  test("whose rows could not be loaded, or were left out, leave none leased for ever", async () => {
    await recordDue(store, organisationId, 20);
    let times = 0;
    const { settled, errors: reported } = start(store, newProcess(), {
      async load(rowIds) {
        times += 1;
        if (times === 1) throw new Error("not now");
        const loaded = times === 2 ? rowIds.slice(1) : rowIds;
        return new Map(loaded.map((rowId) => [rowId, rowId]));
      },
    });
    await eventually("all are settled", () => settled.length === 20);
    expect(reported).toMatchObject([{ message: "not now" }]);
    expect(new Set(settled).size).toBe(20);
    expect(await leased(store)).toBe(0);
  });

  test("whose attempt threw, or whose settling was given up, leave no row leased for ever", async () => {
    await recordDue(store, organisationId, 2);
    let thrown = 0;
    let refused = 0;
    const { settled, attempted } = start(store, newProcess(), {
      settleLimitMs: 0,
      async attempt(rowId) {
        attempted.push(rowId);
        if (thrown++ === 0) throw new Error("no attempt");
        return "done";
      },
      async settle(trx, made) {
        // Together, and then each by itself.
        if (refused++ < 2) throw new Error("no room");
        await acknowledge(
          trx,
          made.map(({ row }) => row),
        );
        return () => void settled.push(...made.map(({ row }) => row));
      },
    });
    await eventually("both are settled", async () => (await waiting(store)) === 0);
    await eventually("both are reported", () => settled.length === 2);
    expect(attempted.length).toBeGreaterThan(2);
    expect(await leased(store)).toBe(0);
  });

  test("are given back by a loop that stops, also of what it could not settle", async () => {
    await recordDue(store, organisationId, 2);
    const {
      loop,
      attempted,
      errors: reported,
    } = start(store, newProcess(60_000), {
      settleLimitMs: 0,
      async settle() {
        void loop.stop();
        throw new Error("no room");
      },
    });
    await eventually("both are attempted", () => attempted.length === 2);
    await loop.stop();
    expect(reported).not.toEqual([]);
    expect(await leased(store)).toBe(0);
    expect(await claim(newProcess())).toHaveLength(2);
  });

  test("serve 40 rows of one lane beside 5,000 of another in turns", async () => {
    const otherId = await addOrganisation(store, "http://127.0.0.1:2");
    for (let times = 0; times < 5; times += 1) await recordDue(store, organisationId, 1_000);
    await recordDue(store, otherId, 40);
    const leases = newProcess();
    const lanesOfClaim = async () => {
      const claimed = (await claimRows(store, leases, wide, 100)) ?? [];
      return [organisationId, otherId].map((id) => claimed.filter(({ lane }) => lane === id).length);
    };
    // A turn is what is left of a lane's capacity of a hundred.
    expect(await lanesOfClaim()).toEqual([100, 0]);
    expect(await lanesOfClaim()).toEqual([0, 40]);
  });

  test("of a paused endpoint are planned once, however often its lane is woken", async () => {
    const openUntil = sql`now() + interval '1 hour'`;
    await sql`update endpoints set breaker_open_until = ${openUntil} where organisation_id = ${organisationId}`.execute(
      store.db,
    );
    const leases = newProcess();
    for (let times = 0; times < 3; times += 1) {
      await recordDue(store, organisationId, 1);
      expect(
        await claimRows(
          store,
          leases,
          webhooks(() => new Date()),
          10,
        ),
      ).toEqual([]);
    }
    const { rows } = await store.execute("select extract(epoch from at - now())::int as seconds from outbox_wakeups");
    expect(rows).toEqual([{ seconds: expect.closeTo(3_600, -1) }]);
  });

  test("serve all woken lanes before any a second time, however many and however often one was woken", async () => {
    await recordDue(store, organisationId, 500);
    await sql`
      insert into outbox_wakeups (queue, at, lane)
      select 'webhooks', now() - number * interval '1 minute', ${organisationId} from generate_series(1, 5000) as number
      `.execute(store.db);
    const others: string[] = [];
    for (let other = 0; other < 150; other += 1) others.push(await addOrganisation(store, "http://127.0.0.1:2"));
    for (const id of others) await recordDue(store, id, 2);
    const leases = newProcess(60_000);
    const first = (await claimRows(store, leases, wide, 100)) ?? [];
    // As many wake-ups were before all others.
    expect(new Set(first.map(({ lane }) => lane))).toEqual(new Set([organisationId]));
    const served: string[] = [];
    for (let claims = 0; claims < 3; claims += 1) {
      const claimed = (await claimRows(store, leases, wide, 100)) ?? [];
      served.push(...new Set(claimed.map(({ lane }) => lane)));
    }
    expect(served.toSorted()).toEqual(others.toSorted());
  });

  test("are asked for seldom by a loop that has nothing to do, also when a lease has lapsed", async () => {
    await recordDue(store, organisationId, 1);
    await claimOne(newProcess(700));
    let transactions = 0;
    const transaction: Store["transaction"] = (work) => {
      transactions += 1;
      return store.transaction(work);
    };
    const { settled } = start({ ...store, transaction }, newProcess());
    await eventually("it is taken over", () => settled.length === 1);
    await setTimeout(1_500);
    expect(transactions).toBeLessThan(20);
  });
});

describe.each((await storesUnderTest()).filter(({ title }) => title === "PGlite"))(
  "claims of a killed process on $title",
  ({ createPlace }) => {
    test("are taken over at once by the next: nobody else can have the data folder", async () => {
      const place = await createPlace();
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      const killed = await openStore({ ...place.options, onError });
      await recordDue(killed, await addOrganisation(killed, "http://127.0.0.1:1"), 3);
      const rows = await claimRows(killed, new Leases(killed, 60_000, onError), queue, 10);
      await killed.close();
      const store = await openStore({ ...place.options, onError });
      const leases = await openLeases(store, { leaseSeconds: 60, onError });
      const claimed = await claimRows(store, leases, queue, 10);
      expect(claimed?.map(({ rowId }) => rowId)).toEqual(rows?.map(({ rowId }) => rowId));
      expect(claimed).toHaveLength(3);
      await leases.stop();
      await store.close();
      expect(errors).toEqual([]);
      await place.remove();
    });
  },
);

// PGlite's data folder is for one process: see store.test.ts.
const shared = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shared)("claims of several processes on $title", ({ createPlace }) => {
  let place: StorePlace;
  let stores: Store[];
  const errors: unknown[] = [];
  const onError = (error: unknown): void => void errors.push(error);

  beforeEach(async () => {
    place = await createPlace();
    stores = [];
  });
  afterEach(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await place.remove();
  });
  const open = async (options: { transactionLimitMs?: number; onError?: (error: unknown) => void } = {}) => {
    const store = await openStore({ ...place.options, onError, ...options });
    stores.push(store);
    return store;
  };

  test("keep to the capacity of each lane, give no row twice and skip none", async () => {
    const store = await open();
    const organisationIds: string[] = [];
    for (let number = 0; number < 3; number += 1)
      organisationIds.push(await addOrganisation(store, "http://127.0.0.1:1"));
    for (const id of organisationIds) await recordDue(store, id, 100);
    const under = new Map(organisationIds.map((id) => [id, 0]));
    const claimed: number[] = [];
    let most = 0;
    const work = async (): Promise<void> => {
      const own = await open();
      const leases = new Leases(own, 60_000, onError);
      while ((await waiting(own)) > 0) {
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
          expect(await endLeases(trx, "webhooks", rows)).toEqual(new Set(tokens));
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

  /** A store over which a transaction that has done its work stands still instead of committing. */
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

  test("are made although one process stands still in the middle of its own", async () => {
    const store = await open();
    await recordDue(store, await addOrganisation(store, "http://127.0.0.1:1"), 1);
    const { still, transaction, goOn, stillErrors } = await openStill();
    const [leases, stillLeases] = [new Leases(store, leaseMs, onError), new Leases(still, leaseMs, onError)];
    const neverMade = claimRows({ ...still, transaction }, stillLeases, queue, 1).catch((error: unknown) => error);
    await setTimeout(200);
    const began = performance.now();
    expect(await claimRows(store, leases, queue, 1)).toHaveLength(1);
    expect(performance.now() - began).toBeLessThan(10_000);
    goOn();
    expect(await neverMade).toBeInstanceOf(Error);
    expect(stillErrors).not.toEqual([]);
    await Promise.all([leases.stop(), stillLeases.stop()]);
    expect(errors.splice(0)).toEqual([]);
  });

  test("are made although one process stands still in the middle of settling, and its row is taken over", async () => {
    const store = await open();
    const [oneId, otherId] = [
      await addOrganisation(store, "http://127.0.0.1:1"),
      await addOrganisation(store, "http://127.0.0.1:2"),
    ];
    await recordDue(store, oneId, 1);
    const { still, goOn, stillErrors } = await openStill();
    const stillLeases = new Leases(still, 1_000, onError);
    let isSettling = false;
    let isStill = true;
    const stuck = dispatch(still, stillLeases, {
      settleLimitMs: 0,
      async settle(trx, made) {
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
    await recordDue(store, otherId, 1);
    const leases = new Leases(store, 60_000, onError);
    const began = performance.now();
    await leases.freeLapsed(true);
    expect(performance.now() - began).toBeLessThan(1_500);
    const { loop, settled } = dispatch(store, leases);
    await eventually("both are settled by the other", async () => {
      await leases.freeLapsed(true);
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
