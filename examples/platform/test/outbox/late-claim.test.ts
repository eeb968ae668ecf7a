import { setTimeout } from "node:timers/promises";
import { sql } from "kysely";
import { afterEach, describe, expect, test } from "vitest";
import { enqueueEmails } from "../../src/mail/write-mails.ts";
import { claimRows } from "../../src/outbox/claim.ts";
import { startDispatcher } from "../../src/outbox/dispatcher.ts";
import { endLeases, type Leases, openLeases } from "../../src/outbox/leases.ts";
import type { OutboxQueue } from "../../src/outbox/queue.ts";
import type { Store, Trx } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";

const mails: OutboxQueue = { name: "mails", wokenBy: [], table: "mails", id: "id", capacity: 8 };

/** Creates a promise and a function that resolves it. */
function signal(): [Promise<void>, () => void] {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return [given, give];
}

describe.each(await storesUnderTest())("a claim on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  afterEach(async () => {
    expect(fixture.errors).toEqual([]);
    await fixture.reset();
  });

  test("is not attempted when its process resumes after the lease ended and another took it over", async () => {
    const { store } = fixture;
    const onError = (error: unknown): void => void fixture.errors.push(error);
    const attempted: string[] = [];
    const open = () => openLeases(store, { leaseSeconds: 0.5, onError });
    const [firstLeases, secondLeases] = [await open(), await open()];
    const processOf = (name: string, leases: Leases, loaded: () => Promise<void>) =>
      startDispatcher<number, "sent">({
        store,
        leases,
        onError,
        queue: mails,
        maxInFlight: 8,
        async load(claimed) {
          await loaded();
          return new Map(claimed.map(({ rowId }) => [rowId, rowId]));
        },
        async attempt(id) {
          attempted.push(`${name} ${id}`);
          return "sent";
        },
        async settle(trx, made) {
          const held = await endLeases(trx, "mails", made);
          const ids = held.map(({ row }) => row);
          if (ids.length === 0) return () => undefined;
          await trx.updateTable("mails").set({ due_at: null, sent_at: new Date() }).where("id", "in", ids).execute();
          return () => undefined;
        },
      });
    const [claimed, onClaimed] = signal();
    const [goesOn, goOn] = signal();
    await store.transaction((trx) => enqueueEmails(trx, [{ to_address: "a@b.example", subject: "s", body: "b" }]));
    const first = fixture.adopt(
      processOf("first", firstLeases, () => {
        onClaimed();
        return goesOn;
      }),
    );
    await claimed;
    const second = fixture.adopt(processOf("second", secondLeases, async () => undefined));
    await eventually("the second takes over", () => attempted.length > 0);
    goOn();
    await Promise.all([first.stop(), second.stop()]);
    expect(attempted).toEqual([expect.stringMatching(/^second \d+$/)]);
    expect(await store.db.selectFrom("outbox_leases").select("lane").execute()).toEqual([]);
  });

  test("plans a wake-up for the row that is due next", async () => {
    const { store } = fixture;
    const leases = await openLeases(store, { onError: (error) => void fixture.errors.push(error) });
    await store.transaction((trx) => enqueueEmails(trx, [{ to_address: "a@b.example", subject: "s", body: "b" }]));
    await store.execute("update mails set due_at = now() + interval '1 hour'");
    expect(await claimRows(store, leases, mails, 8)).toEqual([]);
    const planned = "select at from outbox_wakeups where queue = 'mails'";
    const due = "select due_at as at from mails";
    expect((await store.execute(planned)).rows).toEqual((await store.execute(due)).rows);
    expect(await claimRows(store, leases, mails, 8)).toBeUndefined();
    await leases.stop();
  });
});

const shared = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shared)("a claim in a transaction, on $title,", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);

  test("fails when the reply arrives after the lease ended, even if another claim has renewed the lease", async () => {
    const { store } = fixture;
    const leases = await openLeases(store, { leaseSeconds: 0.5, onError: (error) => void fixture.errors.push(error) });
    const stalling: Store = Object.create(store, {
      transaction: {
        value: <T>(work: (trx: Trx) => Promise<T>) =>
          store.transaction(async (trx) => {
            await setTimeout(600);
            return work(trx);
          }),
      },
    });
    await store.transaction((trx) => enqueueEmails(trx, [{ to_address: "a@b.example", subject: "s", body: "b" }]));
    const renewing = setTimeout(300).then(async () => {
      const sentAtMs = performance.now();
      await leases.renewIn(store.db);
      leases.recordRenewal(sentAtMs);
    });
    await expect(claimRows(stalling, leases, mails, 1)).rejects.toThrow("a claim took longer than the lease");
    await renewing;
    await leases.stop();
  });

  test("does not shorten a lease that was renewed while its transaction was open", async () => {
    const { store } = fixture;
    const leases = await openLeases(store, { onError: (error) => void fixture.errors.push(error) });
    const readEnd = async (): Promise<unknown> =>
      (await store.execute("select lease_until from outbox_processes")).rows[0]?.lease_until;
    const renewed = await store.transaction(async (trx) => {
      await sql`select pg_sleep(0.1)`.execute(trx);
      await leases.renewIn(store.db);
      const end = await readEnd();
      await leases.renewIn(trx);
      return end;
    });
    expect(await readEnd()).toEqual(renewed);
    await leases.stop();
  });
});
