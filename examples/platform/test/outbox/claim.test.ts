import { describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { wakeLanes } from "../../src/outbox/queue.ts";
import type { Store } from "../../src/store/store.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { recordStatements } from "../support/statements.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { queue, useLeases } from "./use-leases.ts";

const stores = await storesUnderTest();

describe.each(stores)("a claim on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { newProcess, claim } = outbox;
  const wakeups = async () => (await outbox.store.execute("select lane, at > now() as later from outbox_wakeups")).rows;

  test("fills a lane to its capacity, and the end of a lease wakes the lane", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 10);
    const leases = newProcess();
    const [first] = (await claim(leases, 100)) ?? [];
    expect(await claim(newProcess(), 100)).toBeUndefined();
    expect(await wakeups()).toEqual([]);
    await outbox.settle(first && [first]);
    expect(await wakeups()).toEqual([{ lane: outbox.organisationId, later: false }]);
    expect(await claim(newProcess(), 100)).toHaveLength(1);
  });

  test("leaves one wake-up per lane, for its next row, however often the lane was woken", async () => {
    const { store, organisationId } = outbox;
    await recordDueEvents(store, organisationId, 1);
    await store.execute("update deliveries set due_at = now() + interval '1 hour'");
    for (let times = 0; times < 3; times += 1)
      await store.transaction((trx) => wakeLanes(trx, "webhooks", [organisationId]));
    expect(await claim(newProcess())).toEqual([]);
    expect(await wakeups()).toEqual([{ lane: organisationId, later: true }]);
  });

  test("deletes the wake-ups of a removed or disabled endpoint, and plans none", async () => {
    const { store, organisationId } = outbox;
    const removed = await addOrganisation(store);
    await store.execute("update endpoints set disabled_at = now(), disabled_because = 'gone'");
    for (const id of [organisationId, removed]) await recordDueEvents(store, id, 1);
    expect(await claim(newProcess())).toEqual([]);
    expect(await wakeups()).toEqual([]);
  });
});

// PGlite serves one process.
const shared = stores.filter(({ title }) => title !== "PGlite");

describe.each(shared)("claims by several processes on $title [D-139]", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { newProcess, claim } = outbox;

  /** Claims rows without committing. @returns a function that commits the claim */
  const claimAndStay = async (limit: number) => {
    let commit = (): void => undefined;
    const staying = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let isClaimed = false;
    const transaction: Store["transaction"] = (work) =>
      outbox.store.transaction(async (trx) => {
        const result = await work(trx);
        isClaimed = true;
        await staying;
        return result;
      });
    const claiming = claimRows({ ...outbox.store, transaction }, newProcess(60_000), queue, limit);
    await eventually("it claims", () => isClaimed);
    return async () => {
      commit();
      return (await claiming) ?? [];
    };
  };

  test("run in parallel; a lane that another process is claiming is skipped and visited later", async () => {
    const [one, other] = [outbox.organisationId, await addOrganisation(outbox.store, "http://127.0.0.1:2")];
    for (const id of [one, other]) await recordDueEvents(outbox.store, id, 5);
    const commit = await claimAndStay(1);
    const leases = newProcess(60_000);
    expect((await claim(leases, 100))?.map(({ lane }) => lane)).toEqual(Array(5).fill(other));
    expect(await claim(leases, 100)).toBeUndefined();
    expect((await commit()).map(({ lane }) => lane)).toEqual([one]);
    expect((await claim(leases, 100))?.map(({ lane }) => lane)).toEqual(Array(4).fill(one));
  });

  test("find a row whose insert is committed later than they ran, however late", async () => {
    const { store, organisationId } = outbox;
    const late = await outbox.connect();
    await late.query("begin");
    await late.query(
      "insert into events (id, organisation_id, type, data) values ('late', $1, 'workerAddedContact', '{}')",
      [organisationId],
    );
    await late.query("insert into outbox_wakeups (queue, lane, at) values ('webhooks', $1, now())", [organisationId]);
    await recordDueEvents(store, organisationId, 1);
    expect(await claim(newProcess())).toHaveLength(1);
    expect(await claim(newProcess())).toBeUndefined();
    await late.query(
      `insert into deliveries (id, event_id, organisation_id, order_key, due_at) values ('late', 'late', $1, 'late', now())`,
      [organisationId],
    );
    await late.query("commit");
    expect(await claim(newProcess())).toHaveLength(1);
  });

  test("read wake-ups by their index, however many lanes are due later", async () => {
    const { store } = outbox;
    await store.execute(`
      insert into outbox_wakeups (queue, lane, at)
      select 'webhooks', 'organisation-' || number, now() + number * interval '1 minute' from generate_series(1, 20000) as number`);
    await store.execute("analyze");
    await recordDueEvents(store, outbox.organisationId, 1);
    const leases = newProcess();
    const statements = recordStatements();
    expect(await claim(leases)).toHaveLength(1);
    await leases.nextPoll("webhooks");
    const ofWakeups = statements.filter(({ text }) => /pg_try_advisory_xact_lock|as lapse/.test(text));
    expect(ofWakeups).toHaveLength(2);
    for (const { text, values } of ofWakeups) {
      const { rows } = await store.execute(`explain ${text}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toMatch(/Index (Only )?Scan.* on outbox_wakeups/);
      expect(plan).not.toContain("Seq Scan on outbox_wakeups");
    }
  });
});
