import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { enqueueEmails } from "../../src/mail/write-mails.ts";
import { claimRows } from "../../src/outbox/claim.ts";
import { startDispatcher } from "../../src/outbox/dispatcher.ts";
import { type Leases, openLeases, readClocks } from "../../src/outbox/leases.ts";
import { alwaysOpen, type OutboxQueue } from "../../src/outbox/queue.ts";
import type { Store, Trx } from "../../src/store/store.ts";
import { createSignal } from "../support/create-signal.ts";
import { eventually } from "../support/eventually.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";

const mails: OutboxQueue = { name: "mails", wokenBy: [], table: "mails", id: "id", laneState: alwaysOpen(8) };

describe.each(await storesUnderTest())("late claims on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  afterEach(async () => {
    expect(fixture.errors).toEqual([]);
    await fixture.reset();
  });

  test("a process that resumes does not attempt a row that a different process has claimed meanwhile", async () => {
    const { store } = fixture;
    const onError = (error: unknown): void => void fixture.errors.push(error);
    const attempted: string[] = [];
    const openShortLeases = () => openLeases(store, { leaseSeconds: 0.5, onError });
    const [firstLeases, secondLeases] = [await openShortLeases(), await openShortLeases()];
    const startProcess = (name: string, leases: Leases, beforeLoad: () => Promise<void>) =>
      startDispatcher<number, "sent">({
        store,
        leases,
        onError,
        queue: mails,
        maxInFlight: 8,
        async load(claimed) {
          await beforeLoad();
          return new Map(claimed.map(({ rowId }) => [rowId, rowId]));
        },
        async attempt(id) {
          attempted.push(`${name} ${id}`);
          return "sent";
        },
        async settle(trx, attempts) {
          const ids = attempts.map(({ row }) => row);
          await trx.updateTable("mails").set({ due_at: null, sent_at: new Date() }).where("id", "in", ids).execute();
          return undefined;
        },
      });
    const [claimed, markClaimed] = createSignal();
    const [mayLoad, allowLoad] = createSignal();
    await store.transaction((trx) => enqueueEmails(trx, [{ to_address: "a@b.example", subject: "s", body: "b" }]));
    const firstLoop = fixture.adopt(
      startProcess("first", firstLeases, () => {
        markClaimed();
        return mayLoad;
      }),
    );
    await claimed;
    const secondLoop = fixture.adopt(startProcess("second", secondLeases, async () => undefined));
    await eventually("the second process makes the attempt", () => attempted.length > 0);
    allowLoad();
    await Promise.all([firstLoop.stop(), secondLoop.stop()]);
    expect(attempted).toEqual([expect.stringMatching(/^second \d+$/)]);
    expect(await store.db.selectFrom("outbox_leases").select("lane").execute()).toEqual([]);
  });

  test("a claim schedules a wake-up for the row that is due next", async () => {
    const { store } = fixture;
    const leases = await openLeases(store, { onError: (error) => void fixture.errors.push(error) });
    await store.transaction((trx) => enqueueEmails(trx, [{ to_address: "a@b.example", subject: "s", body: "b" }]));
    await store.execute("update mails set due_at = now() + interval '1 hour'");
    expect(await claimRows(store, leases, mails, 8)).toEqual([]);
    const wakeupTimes = "select at from outbox_wakeups where queue = 'mails'";
    const dueTimes = "select due_at as at from mails";
    expect((await store.execute(wakeupTimes)).rows).toEqual((await store.execute(dueTimes)).rows);
    expect(await claimRows(store, leases, mails, 8)).toBeUndefined();
    await leases.stop();
  });
});

const shareableStores = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shareableStores)("claims in a transaction on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);

  test("a claim fails when its result arrives after the lease ended, even if another claim has renewed the lease", async () => {
    const { store } = fixture;
    const leases = await openLeases(store, { leaseSeconds: 0.5, onError: (error) => void fixture.errors.push(error) });
    const slowStore: Store = Object.create(store, {
      transaction: {
        value: <T>(work: (trx: Trx) => Promise<T>) =>
          store.transaction(async (trx) => {
            await setTimeout(600);
            return work(trx);
          }),
      },
    });
    await store.transaction((trx) => enqueueEmails(trx, [{ to_address: "a@b.example", subject: "s", body: "b" }]));
    const renewal = setTimeout(300).then(async () => {
      const sentAt = readClocks();
      await leases.renewIn(store.db);
      leases.recordRenewal(sentAt);
    });
    await expect(claimRows(slowStore, leases, mails, 1)).rejects.toThrow("a claim took longer than the lease");
    await renewal;
    await leases.stop();
  });

  test("a claim does not shorten a lease that was renewed while its transaction was open", async () => {
    const { store } = fixture;
    const leases = await openLeases(store, { onError: (error) => void fixture.errors.push(error) });
    const readLeaseEnd = async (): Promise<unknown> =>
      (await store.execute("select lease_until from outbox_processes")).rows[0]?.lease_until;
    const renewedEnd = await store.transaction(async (trx) => {
      await sql`select pg_sleep(0.1)`.execute(trx);
      await leases.renewIn(store.db);
      const leaseEnd = await readLeaseEnd();
      await leases.renewIn(trx);
      return leaseEnd;
    });
    expect(await readLeaseEnd()).toEqual(renewedEnd);
    await leases.stop();
  });
});
