import { beforeAll, describe, expect, test } from "vitest";
import { readDeliveryStats } from "../../src/routes/portal/deliveries/delivery-stats.ts";
import type { PortalDeps } from "../../src/routes/portal/person.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useStore } from "../support/use-opened.ts";

const now = new Date("2030-01-01T12:00:00Z");
const minutesAgo = (minutes: number): Date => new Date(now.getTime() - minutes * 60_000);

describe.each(await anyStore())("delivery statistics on $title", ({ createDatabase }) => {
  const store = useStore({ createDatabase });
  beforeAll(async () => {
    for (const id of ["org_a", "org_b"])
      await store.db.insertInto("organisations").values({ id, name: id, kind: "hirer" }).execute();
    await insertDelivery("org_a", minutesAgo(90), [{ at: minutesAgo(90), durationMs: 10 }]);
    await insertDelivery("org_a", minutesAgo(31), [
      { at: minutesAgo(31), durationMs: 100, error: "timeout" },
      { at: minutesAgo(30), durationMs: 500 },
    ]);
    await insertDelivery("org_a", minutesAgo(1), [{ at: minutesAgo(1), durationMs: 200 }]);
    await insertDelivery("org_a", minutesAgo(1), [{ at: minutesAgo(1), durationMs: 400 }]);
    // Statistics exclude optional events that the endpoint does not implement.
    await insertDelivery("org_a", minutesAgo(1), [{ at: minutesAgo(1), durationMs: 9, error: "not_implemented" }]);
    await insertDelivery("org_b", minutesAgo(1), [{ at: minutesAgo(1), durationMs: 7, error: "timeout" }]);
  });

  let deliveryCount = 0;
  /** Inserts a delivery with these attempts. */
  async function insertDelivery(
    organisationId: string,
    eventAt: Date,
    attempts: { at: Date; durationMs: number; error?: string }[],
  ): Promise<void> {
    deliveryCount += 1;
    const id = `d${deliveryCount}`;
    const keys = { id, organisation_id: organisationId };
    const event = { ...keys, type: "workerAddedContact", data: "{}", created_at: eventAt } as const;
    await store.db.insertInto("events").values(event).execute();
    await store.db
      .insertInto("deliveries")
      .values({ ...keys, event_id: id, order_key: id })
      .execute();
    const rows = attempts.map(({ at, durationMs, error = null }) => ({
      delivery_id: id,
      method: "GET",
      path: "/",
      started_at: at,
      duration_ms: durationMs,
      organisation_id: organisationId,
      status: error === null ? 200 : null,
      error,
      lag_ms: error === null ? at.getTime() + durationMs - eventAt.getTime() : null,
    }));
    await store.db.insertInto("attempts").values(rows).execute();
  }

  const readStats = () =>
    readDeliveryStats({ store, now: () => now } as PortalDeps, "org_a", { periodMs: 3_600_000, bucketCount: 4 });

  test("delivery statistics cover one organisation, in time buckets", async () => {
    const { buckets } = await readStats();
    expect(buckets.map(({ attempts, failed }) => [attempts, failed])).toEqual([
      [1, 1],
      [1, 0],
      [2, 0],
      [0, 0],
    ]);
    expect(buckets.map(({ startsAt }) => startsAt.toISOString().slice(11, 16))).toEqual([
      "11:15",
      "11:30",
      "11:45",
      "12:00",
    ]);
  });

  test("delivery statistics measure the lag from the event to the end of the acknowledged attempt", async () => {
    const { buckets, total } = await readStats();
    expect(buckets.map(({ medianLagMs }) => medianLagMs)).toEqual([null, 60_500, 300, null]);
    expect(total).toEqual({ attempts: 4, failed: 1, medianLagMs: 400, slowestLagMs: 60_500 });
  });
});
