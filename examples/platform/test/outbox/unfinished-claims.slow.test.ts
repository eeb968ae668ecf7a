import { setTimeout } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { endLeases } from "../../src/outbox/leases.ts";
import type { Store } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { acknowledge, countLeases, countPending, queue, useLeases } from "./use-leases.ts";

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

  test("claims do not leave a row leased for ever when an attempt throws or settling fails for good", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 2);
    let attemptCount = 0;
    let settleCount = 0;
    const { settled, attempted } = startDispatcher(outbox.store, openProcessLeases(), {
      settleLimitMs: 0,
      async attempt(rowId) {
        attempted.push(rowId);
        attemptCount += 1;
        if (attemptCount === 1) throw new Error("no attempt");
        return "done";
      },
      async settle(trx, attempts) {
        // Fail for the whole group, and then for a single row.
        settleCount += 1;
        if (settleCount <= 2) throw new Error("disk full");
        const validAttempts = await endLeases(trx, queue.name, attempts);
        const rowIds = validAttempts.map(({ row }) => row);
        if (rowIds.length > 0) await acknowledge(trx, rowIds);
        return () => void settled.push(...rowIds);
      },
    });
    await eventually("both are settled", async () => (await countPending(outbox.store)) === 0);
    await eventually("both are reported", () => settled.length === 2);
    expect(attempted.length).toBeGreaterThan(2);
    expect(await countLeases(outbox.store)).toBe(0);
  });

  test("claims are released when their loop stops, even if it could not settle them", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 2);
    const {
      loop,
      attempted,
      errors: reported,
    } = startDispatcher(outbox.store, openProcessLeases(60_000), {
      settleLimitMs: 0,
      async settle() {
        void loop.stop();
        throw new Error("disk full");
      },
    });
    await eventually("both are attempted", () => attempted.length === 2);
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
});
