import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { migrationsOf } from "../../src/store/migrate.ts";
import { type Store, shardCounts } from "../../src/store/store.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { recordDue } from "../support/record-due.ts";
import { recordStatements } from "../support/statements.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { queue, useLeases } from "./use-leases.ts";

const stores = await storesUnderTest();

describe.each(stores)("shards on $title [D-139]", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { newProcess, claim } = outbox;

  test("are all visited by processes that come and go, and no lane is served a second time before all were once", async () => {
    const lanes = [outbox.organisationId];
    while (lanes.length < 20) lanes.push(await addOrganisation(outbox.store, "http://127.0.0.1:1"));
    for (const id of lanes) await recordDue(outbox.store, id, 20);
    const served: string[] = [];
    for (let claims = 0; claims < lanes.length; claims += 1) {
      const leases = newProcess(60_000);
      const claimed = (await claim(leases, 4)) ?? [];
      served.push(...new Set(claimed.map(({ lane }) => lane)));
      // The others are killed.
      if (claims % 2 === 0) await leases.stop();
    }
    expect(served.toSorted()).toEqual(lanes.toSorted());
  });

  test("are read by their index, however many lanes are to be looked at later", async () => {
    const { store } = outbox;
    await store.execute(`
      insert into outbox_wakeups (queue, at, lane)
      select 'webhooks', now() + number * interval '1 minute', 'organisation-' || number from generate_series(1, 20000) as number`);
    await store.execute("analyze");
    await recordDue(store, outbox.organisationId, 1);
    const leases = newProcess();
    const statements = recordStatements();
    expect(await claim(leases)).toHaveLength(1);
    await leases.nextLook("webhooks");
    const ofWakeups = statements.filter(({ text }) => text.includes("outbox_wakeups"));
    expect(ofWakeups).toHaveLength(store.name === "pglite" ? 2 : 3);
    for (const { text, values } of ofWakeups) {
      const { rows } = await store.execute(`explain ${text}`, [...values]);
      const plan = rows.map((row) => row["QUERY PLAN"]).join("\n");
      expect(plan).toMatch(/Index (Only )?Scan using outbox_wakeups_due on outbox_wakeups/);
      expect(plan).not.toContain("Seq Scan on outbox_wakeups");
    }
  });

  // The last test of this store: it leaves a column at another place.
  test("have the lanes that were woken before there were shards", async () => {
    const { store } = outbox;
    await recordDue(store, outbox.organisationId, 3);
    await store.execute("alter table outbox_wakeups drop column shard");
    await store.execute("create index on outbox_wakeups (queue, at, lane)");
    await migrationsOf(store.name)["004-shards"].up(store.db);
    expect(await claim(newProcess())).toHaveLength(3);
  });
});

// PGlite serves one process, in one shard.
const shared = stores.filter(({ title }) => title !== "PGlite");

describe.each(shared)("shards of several processes on $title [D-139]", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { newProcess, claim } = outbox;

  /** Lanes with `rows` due rows each, every one in a shard of its own; the first has waited longest. */
  const addLanes = async (count: number, rows: number): Promise<string[]> => {
    const { store } = outbox;
    const lanes = new Map<number, string>();
    while (lanes.size < count) {
      const id = await addOrganisation(store, "http://127.0.0.1:1");
      const [row] = (await store.execute("select hashtext($1) & $2 as shard", [id, shardCounts.postgres - 1])).rows;
      if (!lanes.has(Number(row?.shard))) lanes.set(Number(row?.shard), id);
    }
    for (const id of lanes.values()) await recordDue(store, id, rows);
    return [...lanes.values()];
  };

  /** Claims. @returns commits the claim */
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

  test("are claimed from at the same time, a busy one is passed over and returned to", async () => {
    const [one = "", other = ""] = await addLanes(2, 5);
    const commit = await claimAndStay(1);
    const leases = newProcess(60_000);
    expect((await claim(leases, 100))?.map(({ lane }) => lane)).toEqual(Array(5).fill(other));
    expect(await claim(leases, 100)).toEqual([]);
    expect((await commit()).map(({ lane }) => lane)).toEqual([one]);
    expect((await claim(leases, 100))?.map(({ lane }) => lane)).toEqual(Array(4).fill(one));
    expect(await claim(leases, 100)).toBeUndefined();
  });

  test("are held by as many as there are, each in a claim of its own", async () => {
    const lanes = await addLanes(shardCounts.postgres, 5);
    const commits: Awaited<ReturnType<typeof claimAndStay>>[] = [];
    for (let claims = 0; claims < lanes.length; claims += 1) commits.push(await claimAndStay(1));
    expect(await claim(newProcess(), 1)).toEqual([]);
    const claimed = await Promise.all(commits.map((commit) => commit()));
    expect(claimed.flat().map(({ lane }) => lane)).toEqual(lanes);
  });

  test("are as many as fill the claim", async () => {
    const lanes = await addLanes(4, 5);
    const commit = await claimAndStay(3);
    const [last = ""] = lanes.slice(-1);
    expect((await claim(newProcess(60_000), 100))?.map(({ lane }) => lane)).toEqual(Array(5).fill(last));
    expect((await commit()).map(({ lane }) => lane)).toEqual(Array(3).fill(lanes[0]));
  });

  test("are not claimed from while a process of a version without them claims, nor does it while they are", async () => {
    await addLanes(2, 5);
    const old = await outbox.connect();
    const lock = "hashtext('offers-platform webhooks')";
    const isFree = async () =>
      (await old.query(`select pg_try_advisory_xact_lock(${lock}) as "isFree"`)).rows[0].isFree;
    await old.query(`begin; select pg_advisory_xact_lock(${lock})`);
    expect(await claim(newProcess(), 1)).toEqual([]);
    await old.query("commit");
    const commit = await claimAndStay(1);
    expect(await isFree()).toBe(false);
    let hasLock = false;
    const waiting = old.query(`select pg_advisory_lock(${lock})`).then(() => {
      hasLock = true;
    });
    await setTimeout(100);
    // The older version waits, and its lock comes first.
    expect(await claim(newProcess(), 1)).toEqual([]);
    expect(hasLock).toBe(false);
    expect(await commit()).toHaveLength(1);
    await waiting;
    expect(await claim(newProcess(), 1)).toEqual([]);
    await old.query(`select pg_advisory_unlock(${lock})`);
    expect(await claim(newProcess(), 1)).toHaveLength(1);
  });
});
