import { describe, expect, onTestFinished, test, vi } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import type { Lease } from "../../src/outbox/queue.ts";
import { WakeupWindows, wakeBeforeWindows } from "../../src/outbox/windows.ts";
import { recordDue } from "../support/record-due.ts";
import { recordStatements } from "../support/statements.ts";
import { anyStore, storesUnderTest } from "../support/stores/stores.ts";
import { queue, useLeases } from "./use-leases.ts";

/** The capacity of a lane. */
const capacity = 8;

const rowIds = (leases: readonly Lease[] = []): number[] => leases.map(({ rowId }) => rowId);

describe.each(await anyStore())("the window of a lane on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);

  const { settle } = outbox;

  /** Delivers until the window has moved. */
  const moveWindow = async (): Promise<void> => {
    const leases = outbox.newProcess();
    for (let turns = 0; turns < 200; turns += 1) {
      await recordDue(outbox.store, outbox.organisationId, capacity);
      await settle(await outbox.claim(leases));
      const { rows } = await outbox.store.execute("select from outbox_lanes");
      if (rows.length > 0) return settle(await outbox.claim(leases));
    }
    throw new Error("the window has not moved");
  };

  /** Records an event, as a transaction leaves it that began before the window and is committed now. */
  const recordLate = async (): Promise<number> => {
    const { store, organisationId } = outbox;
    await recordDue(store, organisationId, 1);
    const late = "(select min(due_from) - interval '1 minute' from outbox_lanes)";
    await store.execute(`update outbox_wakeups set at = ${late}`);
    const { rows } = await store.execute(`
      update deliveries set due_at = ${late} where sequence = (select max(sequence) from deliveries) returning sequence`);
    return Number(rows[0]?.sequence);
  };

  test("moves past what is settled, by the rows and the leases that are left", async () => {
    await moveWindow();
    const { rows } = await outbox.store.execute(`
      select due_from > (select min(created_at) from events) as "isPastRows", token_from > 1 as "isPastLeases",
        due_from <= now() as "isBehindNow" from outbox_lanes`);
    expect(rows).toEqual([{ isPastRows: true, isPastLeases: true, isBehindNow: true }]);
  });

  test("hides no row that is committed late, nor once its lease has ended", async () => {
    await moveWindow();
    const late = await recordLate();
    const [lease] = (await outbox.claim(outbox.newProcess())) ?? [];
    expect(lease?.rowId).toBe(late);
    await outbox.end(...(lease ? [lease] : []));
    expect(rowIds(await outbox.claim(outbox.newProcess()))).toEqual([late]);
  });

  test("hides no late row that its lane had no room for", async () => {
    await moveWindow();
    await recordDue(outbox.store, outbox.organisationId, capacity);
    const leases = outbox.newProcess();
    const claimed = await outbox.claim(leases);
    expect(claimed).toHaveLength(capacity);
    const late = await recordLate();
    expect(await outbox.claim(leases)).toEqual([]);
    await settle(claimed);
    expect(rowIds(await outbox.claim(leases))).toEqual([late]);
  });

  test("hides for no longer than until the next look what a process of a version before windows has left behind it", async () => {
    await moveWindow();
    const late = await recordLate();
    await outbox.store.execute("delete from outbox_wakeups");
    await recordDue(outbox.store, outbox.organisationId, 1);
    const [other] = (await outbox.claim(outbox.newProcess())) ?? [];
    expect(other?.rowId).not.toBe(late);
    expect(await outbox.claim(outbox.newProcess())).toBeUndefined();
    await wakeBeforeWindows(outbox.store, queue);
    expect(rowIds(await outbox.claim(outbox.newProcess()))).toEqual([late]);
  });
});

// PGlite has one connection, and so no snapshot beside it.
const shared = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shared)("windows beside a snapshot that is held on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);

  test("keep claims and settling from reading what was done since", async () => {
    const { store, organisationId } = outbox;
    const client = await outbox.connect();
    await client.query("begin isolation level repeatable read; select from deliveries");
    const leases = outbox.newProcess(60_000);
    const windows = new WakeupWindows(store);
    const turn = async (): Promise<void> => {
      await recordDue(store, organisationId, capacity);
      await outbox.settle(await claimRows(store, leases, queue, 100, windows));
      await leases.freeLapsed();
    };
    // Each leaves two wake-ups, and more of all else.
    const turns = 1_000;
    for (let made = 0; made < turns; made += 1) await turn();
    // Windows are opened wide now, and not again while it is measured how much is read.
    const later = performance.now() + 10_001;
    vi.spyOn(performance, "now").mockReturnValue(later);
    onTestFinished(() => void vi.restoreAllMocks());
    await turn();
    // The statistics of a queue: it is empty.
    await store.execute("analyze");
    const statements = recordStatements();
    await turn();
    const ofOutbox = statements.filter(({ text }) => /^\s*with (due|woken|shared|ended)/.test(text));
    expect(ofOutbox).toHaveLength(4);
    for (const { text, values } of ofOutbox) {
      await client.query("rollback; begin");
      const { rows } = await client.query({ text: `explain (analyze, format json) ${text}`, values: [...values] });
      expect(rowsRead(rows[0]["QUERY PLAN"][0].Plan), text).toBeLessThan(turns);
    }
  });

  test("are opened wide every few seconds, for what was committed late", async () => {
    const { store, organisationId } = outbox;
    const leases = outbox.newProcess(60_000);
    const windows = new WakeupWindows(store);
    onTestFinished(() => void vi.restoreAllMocks());
    await recordDue(store, organisationId, 1);
    expect(await claimRows(store, leases, queue, 100, windows)).toHaveLength(1);
    await store.execute("insert into outbox_lanes values ('webhooks', $1, now(), 0)", [organisationId]);
    await recordDue(store, organisationId, 1);
    await store.execute("update outbox_wakeups set at = at - interval '1 minute'");
    await store.execute("update deliveries set due_at = due_at - interval '1 minute'");
    expect(await claimRows(store, leases, queue, 100, windows)).toBeUndefined();
    // The next event of its lane does not delete its wake-up.
    await recordDue(store, organisationId, 1);
    expect(await claimRows(store, leases, queue, 100, windows)).toHaveLength(1);
    const later = performance.now() + 10_001;
    vi.spyOn(performance, "now").mockReturnValue(later);
    expect(await claimRows(store, leases, queue, 100, windows)).toHaveLength(1);
  });
});

interface Plan {
  "Node Type": string;
  "Heap Fetches"?: number;
  "Actual Rows": number;
  "Actual Loops": number;
  Plans?: Plan[];
}

/** How many rows of indexes a statement read, dead ones too. */
function rowsRead({ Plans = [], ...plan }: Plan): number {
  const isBitmap = plan["Node Type"] === "Bitmap Index Scan";
  const own = isBitmap ? plan["Actual Rows"] * plan["Actual Loops"] : (plan["Heap Fetches"] ?? 0);
  return Plans.reduce((sum, each) => sum + rowsRead(each), own);
}
