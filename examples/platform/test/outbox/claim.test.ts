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

describe.each(stores)("claims on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { openProcessLeases, claim } = outbox;
  const readWakeups = async () =>
    (await outbox.store.execute("select lane, at > now() as later from outbox_wakeups")).rows;

  test("a claim uses a lane up to its capacity, and the end of a lease wakes the lane", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 10);
    const leases = openProcessLeases();
    const [lease] = (await claim(leases, 100)) ?? [];
    expect(await claim(openProcessLeases(), 100)).toBeUndefined();
    expect(await readWakeups()).toEqual([]);
    await outbox.settle(lease && [lease]);
    expect(await readWakeups()).toEqual([{ lane: outbox.organisationId, later: false }]);
    expect(await claim(openProcessLeases(), 100)).toHaveLength(1);
  });

  test("a claim leaves one wake-up per lane, for its next row, no matter how many times the lane was woken", async () => {
    const { store, organisationId } = outbox;
    await recordDueEvents(store, organisationId, 1);
    await store.execute("update deliveries set due_at = now() + interval '1 hour'");
    for (let times = 0; times < 3; times += 1)
      await store.transaction((trx) => wakeLanes(trx, "webhooks", [organisationId]));
    expect(await claim(openProcessLeases())).toEqual([]);
    expect(await readWakeups()).toEqual([{ lane: organisationId, later: true }]);
  });

  test("a claim deletes the wake-ups of removed and disabled endpoints and does not schedule new ones", async () => {
    const { store, organisationId } = outbox;
    const removedId = await addOrganisation(store);
    await store.execute("update endpoints set disabled_at = now(), disabled_because = 'gone'");
    for (const id of [organisationId, removedId]) await recordDueEvents(store, id, 1);
    expect(await claim(openProcessLeases())).toEqual([]);
    expect(await readWakeups()).toEqual([]);
  });
});

// Only one process can use PGlite.
const shareableStores = stores.filter(({ title }) => title !== "PGlite");

describe.each(shareableStores)("claims by several processes on $title [D-139]", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { openProcessLeases, claim } = outbox;

  /** Claims rows without committing. @returns a function that commits the claim and returns its leases */
  const claimUncommitted = async (limit: number) => {
    let commit = (): void => undefined;
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let isClaimed = false;
    const transaction: Store["transaction"] = (work) =>
      outbox.store.transaction(async (trx) => {
        const result = await work(trx);
        isClaimed = true;
        await mayCommit;
        return result;
      });
    const pendingClaim = claimRows({ ...outbox.store, transaction }, openProcessLeases(60_000), queue, limit);
    await eventually("the rows are claimed", () => isClaimed);
    return async () => {
      commit();
      return (await pendingClaim) ?? [];
    };
  };

  test("claims run in parallel, and skip a lane while a different process is claiming from it", async () => {
    const [lockedLane, freeLane] = [outbox.organisationId, await addOrganisation(outbox.store, "http://127.0.0.1:2")];
    for (const id of [lockedLane, freeLane]) await recordDueEvents(outbox.store, id, 5);
    const commit = await claimUncommitted(1);
    const leases = openProcessLeases(60_000);
    expect((await claim(leases, 100))?.map(({ lane }) => lane)).toEqual(Array(5).fill(freeLane));
    expect(await claim(leases, 100)).toBeUndefined();
    expect((await commit()).map(({ lane }) => lane)).toEqual([lockedLane]);
    expect((await claim(leases, 100))?.map(({ lane }) => lane)).toEqual(Array(4).fill(lockedLane));
  });

  test("claims find a row even if its insert is committed after an earlier claim", async () => {
    const { store, organisationId } = outbox;
    const client = await outbox.connect();
    await client.query("begin");
    await client.query(
      "insert into events (id, organisation_id, type, data) values ('late', $1, 'workerAddedContact', '{}')",
      [organisationId],
    );
    await client.query("insert into outbox_wakeups (queue, lane, at) values ('webhooks', $1, now())", [organisationId]);
    await recordDueEvents(store, organisationId, 1);
    expect(await claim(openProcessLeases())).toHaveLength(1);
    expect(await claim(openProcessLeases())).toBeUndefined();
    await client.query(
      `insert into deliveries (id, event_id, organisation_id, order_key, due_at) values ('late', 'late', $1, 'late', now())`,
      [organisationId],
    );
    await client.query("commit");
    expect(await claim(openProcessLeases())).toHaveLength(1);
  });

  test("claims read wake-ups by their index, no matter how many lanes are due later", async () => {
    const { store } = outbox;
    await store.execute(`
      insert into outbox_wakeups (queue, lane, at)
      select 'webhooks', 'organisation-' || number, now() + number * interval '1 minute' from generate_series(1, 20000) as number`);
    await store.execute("analyze");
    await recordDueEvents(store, outbox.organisationId, 1);
    const leases = openProcessLeases();
    const statements = recordStatements();
    expect(await claim(leases)).toHaveLength(1);
    await leases.nextPoll("webhooks");
    const wakeupStatements = statements.filter(({ text }) => /pg_try_advisory_xact_lock|as expiry/.test(text));
    expect(wakeupStatements).toHaveLength(2);
    for (const { text, values } of wakeupStatements) {
      const { rows } = await store.execute(`explain ${text}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toMatch(/Index (Only )?Scan.* on outbox_wakeups/);
      expect(plan).not.toContain("Seq Scan on outbox_wakeups");
    }
  });
});
