import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { type Store, StoreError } from "../../src/store/store.ts";
import { createSignal } from "../support/create-signal.ts";
import { eventually } from "../support/eventually.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { acknowledge, countLeases, countPending, useLeases } from "./use-leases.ts";

describe.each(await storesUnderTest())("unfinished claims on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { openProcessLeases, claim, claimOne, startDispatcher } = outbox;

  test("claims do not leave a row leased for ever when their commit is reported as failed", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 20);
    let isConnectionLost = true;
    const transaction: Store["transaction"] = async (work) => {
      const result = await outbox.store.transaction(work);
      if (isConnectionLost) throw new Error("the connection was lost");
      return result;
    };
    const { errors: reported } = startDispatcher({ ...outbox.store, transaction }, openProcessLeases());
    await eventually("the commit fails", () => reported.length > 0);
    isConnectionLost = false;
    await eventually("all are settled", async () => (await countPending(outbox.store)) === 0);
    expect(await countLeases(outbox.store)).toBe(0);
  });

  test("claims do not leave a row leased for ever when their rows cannot be loaded or are missing", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 20);
    let loadCount = 0;
    const { settled, errors: reported } = startDispatcher(outbox.store, openProcessLeases(), {
      async load(claimed) {
        loadCount += 1;
        if (loadCount === 1) throw new Error("not now");
        const loadedRows = loadCount === 2 ? claimed.slice(1) : claimed;
        return new Map(loadedRows.map(({ rowId }) => [rowId, rowId]));
      },
    });
    await eventually("all are settled", () => settled.length === 20);
    expect(reported).toMatchObject([{ message: "not now" }]);
    expect(new Set(settled).size).toBe(20);
    expect(await countLeases(outbox.store)).toBe(0);
  });

  test("claims are postponed, one at a time, when their attempt throws or their result cannot be stored [D-155]", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 4);
    const rows = await outbox.store.execute("select sequence from deliveries order by sequence");
    const [throwing, poisonous, ...others] = rows.rows.map(({ sequence }) => sequence as number);
    const {
      settled,
      attempted,
      errors: reported,
    } = startDispatcher(outbox.store, openProcessLeases(), {
      settleLimitMs: 0,
      async attempt(rowId) {
        attempted.push(rowId);
        if (rowId === throwing) throw new Error("no attempt");
        return "done";
      },
      async settle(trx, attempts) {
        const rowIds = attempts.map(({ row }) => row);
        if (rowIds.includes(poisonous ?? 0)) throw new Error("no result");
        await acknowledge(trx, rowIds);
        return () => void settled.push(...rowIds);
      },
    });
    await eventually("no lease remains", async () => attempted.length > 0 && (await countLeases(outbox.store)) === 0);
    expect(settled.toSorted((a, b) => a - b)).toEqual(others);
    expect(attempted.toSorted((a, b) => a - b)).toEqual([throwing, poisonous, ...others]);
    expect(reported.filter((error) => (error as { code?: string }).code === "attempt_postponed")).toHaveLength(2);
  });

  test("claims are released when their loop stops, even if it could not settle them", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 2);
    let isUnavailable = false;
    const transaction: Store["transaction"] = async (work) => {
      if (isUnavailable) throw new StoreError("database_lost", "the connection was lost");
      return outbox.store.transaction(work);
    };
    const {
      loop,
      attempted,
      errors: reported,
    } = startDispatcher({ ...outbox.store, transaction }, openProcessLeases(60_000), {
      settleLimitMs: 0,
      async attempt(rowId) {
        attempted.push(rowId);
        isUnavailable = true;
        return "done";
      },
    });
    await eventually("both are attempted, and cannot be settled", () => attempted.length === 2 && reported.length > 0);
    await loop.stop();
    expect(reported).not.toEqual([]);
    expect(await countLeases(outbox.store)).toBe(0);
    expect(await claim(openProcessLeases())).toHaveLength(2);
  });

  test("an idle loop rarely polls for claims, even after a lease has expired", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    await claimOne(openProcessLeases(700));
    let transactionCount = 0;
    const transaction: Store["transaction"] = (work) => {
      transactionCount += 1;
      return outbox.store.transaction(work);
    };
    const { settled } = startDispatcher({ ...outbox.store, transaction }, openProcessLeases());
    await eventually("the row is settled", () => settled.length === 1);
    await setTimeout(1_500);
    expect(transactionCount).toBeLessThan(20);
  });

  // `load` ends this process's tick, and starts the next one, while an attempt ends. Their order depends on the number of microtasks.
  test.each(Array.from({ length: 8 }, (_, microtasks) => microtasks))(
    "claims that an attempt gives back are released immediately, even if it ends while others are being released (%i)",
    async (microtasks) => {
      await recordDueEvents(outbox.store, outbox.organisationId, 1);
      const [mayEnd, end] = createSignal();
      let loadCount = 0;
      const { loop, attempted, settled } = startDispatcher(outbox.store, openProcessLeases(60_000), {
        async load(claimed) {
          loadCount += 1;
          if (loadCount === 2) end();
          // The second claim's row is not loaded, so its lease is released.
          return new Map(loadCount === 2 ? [] : claimed.map(({ rowId }) => [rowId, rowId]));
        },
        async attempt(rowId) {
          attempted.push(rowId);
          if (attempted.length > 1) return "done";
          await mayEnd;
          for (let count = 0; count < microtasks; count += 1) await undefined;
          return undefined;
        },
      });
      await eventually("the first row is being attempted", () => attempted.length === 1);
      const startedAt = performance.now();
      await recordDueEvents(outbox.store, outbox.organisationId, 1);
      loop.wake();
      await eventually("both rows are settled", () => settled.length === 2);
      // The next check for expired leases would release them after five seconds.
      expect(performance.now() - startedAt).toBeLessThan(4_000);
    },
  );
});

const shareableStores = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shareableStores)("claims from a locked lane on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);

  test("claims are repeated ever less often while another process is claiming from all due lanes [D-139]", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 1);
    const otherProcess = await outbox.connect();
    const lock = ["webhooks", outbox.organisationId];
    await otherProcess.query("select pg_advisory_lock(hashtext($1), hashtext($2))", lock);
    let transactionCount = 0;
    const transaction: Store["transaction"] = (work) => {
      transactionCount += 1;
      return outbox.store.transaction(work);
    };
    const { settled } = outbox.startDispatcher({ ...outbox.store, transaction }, outbox.openProcessLeases());
    await setTimeout(1_500);
    // Pauses of 5, 10, 20, 40, 80 and then 100 ms.
    expect(transactionCount).toBeLessThan(25);
    await otherProcess.query("select pg_advisory_unlock(hashtext($1), hashtext($2))", lock);
    await eventually("the row is settled", () => settled.length === 1);
  });
});
