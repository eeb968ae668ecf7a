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

describe.each(await storesUnderTest())("expiring claims on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { openProcessLeases, claim, claimOne, claimExpired, end, startDispatcher } = outbox;

  test("claims expire unless they are renewed, and their old token cannot settle the row [D-70]", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    const [deadProcess, otherLeases] = [openProcessLeases(), openProcessLeases()];
    const startedAt = performance.now();
    const first = await claimOne(deadProcess);
    await otherLeases.releaseExpired();
    expect(await claim(otherLeases)).toBeUndefined();
    const second = await claimExpired(otherLeases);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(leaseMs);
    expect(second).toEqual({ ...first, token: expect.any(Number) });
    expect(second.token).toBeGreaterThan(first.token);
    expect(await end(first)).toEqual(new Set());
    expect(await countLeases(outbox.store)).toBe(1);
    expect(await end(second)).toEqual(new Set([second.token]));
  });

  test("claims act as fencing tokens, so a late result from a frozen process changes nothing [D-70]", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    let finish = (_: string): void => undefined;
    const result = new Promise<string>((resolve) => {
      finish = resolve;
    });
    const frozenDispatcher = startDispatcher(outbox.store, openProcessLeases(), {
      maxInFlight: 1,
      attempt: () => result,
    });
    await eventually("the attempt is under way", async () => (await countLeases(outbox.store)) === 1);
    const otherLeases = openProcessLeases();
    await otherLeases.releaseExpired({ includeLive: true });
    const successor = startDispatcher(outbox.store, otherLeases);
    await eventually("a different process settles the row", () => successor.settled.length === 1);
    await outbox.store.execute("update deliveries set state = 'dead'");
    finish("done");
    await frozenDispatcher.loop.stop();
    expect([frozenDispatcher.settled, frozenDispatcher.errors]).toEqual([[], []]);
    expect((await outbox.store.execute("select state from deliveries")).rows).toEqual([{ state: "dead" }]);
  });

  test("claims do not expire while the work continues, no matter how long it takes [D-70]", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    const [leases, otherLeases] = [openProcessLeases(), openProcessLeases()];
    const first = await claimOne(leases);
    await leases.renewWhile(async () => {
      await setTimeout(3 * leaseMs);
      await otherLeases.releaseExpired();
      expect(await claim(otherLeases)).toBeUndefined();
    });
    expect((await claimExpired(otherLeases)).rowId).toBe(first.rowId);
  });

  test("claims do not expire when the event loop is busy for two thirds of a lease", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    const [leases, otherLeases] = [openProcessLeases(), openProcessLeases()];
    await claimOne(leases);
    await leases.renewWhile(async () => {
      for (let times = 0; times < 3; times += 1) {
        const endsAt = performance.now() + (leaseMs * 2) / 3;
        // Block the event loop.
        while (performance.now() < endsAt);
        await setTimeout(700);
      }
      await otherLeases.releaseExpired();
      expect(await claim(otherLeases)).toBeUndefined();
    });
  });

  test("claims cannot be repeated by their own process after its lease has expired", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    const leases = openProcessLeases(500);
    const lease = await claimOne(leases);
    await setTimeout(600);
    await leases.releaseExpired();
    expect(await claim(leases)).toBeUndefined();
    expect(await end(lease)).toEqual(new Set([lease.token]));
  });

  test("claims wake their lanes when they expire", async () => {
    const otherId = await addOrganisation(outbox.store, "http://127.0.0.1:2");
    for (const id of [outbox.organisationId, otherId]) await recordDueEvents(outbox.store, id, 1);
    expect(await claim(openProcessLeases(500))).toHaveLength(2);
    const otherLeases = openProcessLeases();
    expect((await otherLeases.nextPoll("webhooks")).wakeupMs).toBe(Number.POSITIVE_INFINITY);
    await setTimeout(600);
    await otherLeases.releaseExpired();
    expect((await otherLeases.nextPoll("webhooks")).wakeupMs).toBeLessThanOrEqual(0);
    expect(new Set((await claim(otherLeases))?.map(({ lane }) => lane))).toEqual(
      new Set([outbox.organisationId, otherId]),
    );
    expect((await outbox.store.execute("select id from outbox_processes")).rows).toEqual([
      { id: otherLeases.processId },
    ]);
  });

  test("claims are all released immediately when their process ends", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 3);
    const endingLeases = openProcessLeases(60_000);
    const first = await claim(endingLeases);
    await endingLeases.stop();
    const second = await claim(openProcessLeases());
    expect(second?.map(({ rowId }) => rowId)).toEqual(first?.map(({ rowId }) => rowId));
    expect(await end(...(first ?? []))).toEqual(new Set());
    expect(await countLeases(outbox.store)).toBe(3);
  });

  test("claims that their process does not work on are released immediately, and the other claims remain", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 3);
    const [leases, otherLeases] = [openProcessLeases(), openProcessLeases()];
    const [active, ...strays] = (await claim(leases, 2)) ?? [];
    await claim(otherLeases, 1);
    await leases.releaseStrayLeases("webhooks", [active?.token ?? 0]);
    expect((await claim(leases))?.map(({ rowId }) => rowId)).toEqual(strays.map(({ rowId }) => rowId));
    await leases.releaseStrayLeases("pushes", []);
    expect(await countLeases(outbox.store)).toBe(3);
  });
});

describe.each((await storesUnderTest()).filter(({ title }) => title === "PGlite"))(
  "a killed process's claims on $title",
  ({ createDatabase }) => {
    test("a killed process's claims are released when the next process starts, because only one process can use the data folder", async () => {
      const database = await createDatabase();
      const errors: unknown[] = [];
      const onError = (error: unknown): void => void errors.push(error);
      const killedStore = await openStore({ ...database.options, onError });
      await recordDueEvents(killedStore, await addOrganisation(killedStore, "http://127.0.0.1:1"), 3);
      const rows = await claimRows(killedStore, new Leases(killedStore, 60_000, onError), queue, 10);
      await killedStore.close();
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
