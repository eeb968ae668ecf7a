import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { Leases, openLeases } from "../../src/outbox/leases.ts";
import { openStore } from "../../src/store/open-store.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { countLeases, leaseMs, queue, useLeases } from "./use-leases.ts";

describe.each(await storesUnderTest())("claims on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { newProcess, claim, claimOne, takeOver, end, start } = outbox;

  test("expire unless they are renewed, and cannot settle the row with their old token [D-70]", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    const [dead, other] = [newProcess(), newProcess()];
    const began = performance.now();
    const first = await claimOne(dead);
    await other.releaseExpired();
    expect(await claim(other)).toBeUndefined();
    const second = await takeOver(other);
    expect(performance.now() - began).toBeGreaterThanOrEqual(leaseMs);
    expect(second).toEqual({ ...first, token: expect.any(Number) });
    expect(second.token).toBeGreaterThan(first.token);
    expect(await end(first)).toEqual(new Set());
    expect(await countLeases(outbox.store)).toBe(1);
    expect(await end(second)).toEqual(new Set([second.token]));
  });

  test("act as a fencing token: a late result from a frozen process changes nothing [D-70]", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    let finish = (_: string): void => undefined;
    const result = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const still = start(outbox.store, newProcess(), { maxInFlight: 1, attempt: () => result });
    await eventually("it is under way", async () => (await countLeases(outbox.store)) === 1);
    const other = newProcess();
    await other.releaseExpired({ includeLive: true });
    const taken = start(outbox.store, other);
    await eventually("another one settles it", () => taken.settled.length === 1);
    await outbox.store.execute("update deliveries set state = 'dead'");
    finish("done");
    await still.loop.stop();
    expect([still.settled, still.errors]).toEqual([[], []]);
    expect((await outbox.store.execute("select state from deliveries")).rows).toEqual([{ state: "dead" }]);
  });

  test("do not expire while the work continues, however long it takes [D-70]", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    const [leases, other] = [newProcess(), newProcess()];
    const first = await claimOne(leases);
    await leases.renewWhile(async () => {
      await setTimeout(3 * leaseMs);
      await other.releaseExpired();
      expect(await claim(other)).toBeUndefined();
    });
    expect((await takeOver(other)).rowId).toBe(first.rowId);
  });

  test("do not expire because the event loop was busy for two thirds of a lease", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    const [leases, other] = [newProcess(), newProcess()];
    await claimOne(leases);
    await leases.renewWhile(async () => {
      for (let times = 0; times < 3; times += 1) {
        const until = performance.now() + (leaseMs * 2) / 3;
        while (performance.now() < until);
        await setTimeout(700);
      }
      await other.releaseExpired();
      expect(await claim(other)).toBeUndefined();
    });
  });

  test("are not taken over by their own process when it is late", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    const leases = newProcess(500);
    const lease = await claimOne(leases);
    await setTimeout(600);
    await leases.releaseExpired();
    expect(await claim(leases)).toBeUndefined();
    expect(await end(lease)).toEqual(new Set([lease.token]));
  });

  test("wake their lanes when they expire", async () => {
    const otherId = await addOrganisation(outbox.store, "http://127.0.0.1:2");
    for (const id of [outbox.organisationId, otherId]) await recordDueEvents(outbox.store, id, 1);
    expect(await claim(newProcess(500))).toHaveLength(2);
    const other = newProcess();
    expect((await other.nextPoll("webhooks")).wakeupMs).toBe(Number.POSITIVE_INFINITY);
    await setTimeout(600);
    await other.releaseExpired();
    expect((await other.nextPoll("webhooks")).wakeupMs).toBeLessThanOrEqual(0);
    expect(new Set((await claim(other))?.map(({ lane }) => lane))).toEqual(new Set([outbox.organisationId, otherId]));
    expect((await outbox.store.execute("select id from outbox_processes")).rows).toEqual([{ id: other.processId }]);
  });

  test("are all released immediately when their process ends", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 3);
    const ending = newProcess(60_000);
    const first = await claim(ending);
    await ending.stop();
    const second = await claim(newProcess());
    expect(second?.map(({ rowId }) => rowId)).toEqual(first?.map(({ rowId }) => rowId));
    expect(await end(...(first ?? []))).toEqual(new Set());
    expect(await countLeases(outbox.store)).toBe(3);
  });

  test("are released immediately when a process does not work on them, and others are kept", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 3);
    const [leases, other] = [newProcess(), newProcess()];
    const [kept, ...strays] = (await claim(leases, 2)) ?? [];
    await claim(other, 1);
    await leases.releaseStrayLeases("webhooks", [kept?.token ?? 0]);
    expect((await claim(leases))?.map(({ rowId }) => rowId)).toEqual(strays.map(({ rowId }) => rowId));
    await leases.releaseStrayLeases("pushes", []);
    expect(await countLeases(outbox.store)).toBe(3);
  });
});

describe.each((await storesUnderTest()).filter(({ title }) => title === "PGlite"))(
  "claims of a killed process on $title",
  ({ createDatabase }) => {
    test("are taken over immediately by the next process, the only one that can have the data folder", async () => {
      const database = await createDatabase();
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      const killed = await openStore({ ...database.options, onError });
      await recordDueEvents(killed, await addOrganisation(killed, "http://127.0.0.1:1"), 3);
      const rows = await claimRows(killed, new Leases(killed, 60_000, onError), queue, 10);
      await killed.close();
      const store = await openStore({ ...database.options, onError });
      const leases = await openLeases(store, { leaseSeconds: 60, onError });
      const claimed = await claimRows(store, leases, queue, 10);
      expect(claimed?.map(({ rowId }) => rowId)).toEqual(rows?.map(({ rowId }) => rowId));
      expect(claimed).toHaveLength(3);
      await leases.stop();
      await store.close();
      expect(errors).toEqual([]);
      await database.remove();
    });
  },
);
