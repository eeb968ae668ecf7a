import { describe, expect, test } from "vitest";
import { purgeExpired } from "../../src/retention.ts";
import { defaultRetention } from "../../src/settings/settings.ts";
import { readFeed } from "../../src/webhooks/event-feed.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { anyStore } from "../support/stores/stores.ts";
import { daysAgo, rethrow, today, useRetention } from "./use-retention.ts";

describe.each(await anyStore())("retention on $title", ({ createDatabase }) => {
  const retention = useRetention(createDatabase);
  const { purgeAll, addDelivery, addEvent, readIds, countRows } = retention;

  test("an endpoint's response is deleted after 30 days, but the attempt is not [D-77]", async () => {
    await addDelivery({ state: "acknowledged", ageDays: 29 });
    await addDelivery({ state: "acknowledged", ageDays: 31 });
    await purgeAll();
    const attempts = retention.store.db
      .selectFrom("attempts")
      .select(["status", "content_type", "response"])
      .orderBy("started_at");
    expect(await attempts.execute()).toEqual([
      { status: 500, content_type: null, response: null },
      { status: 500, content_type: "text/plain", response: "no" },
    ]);
  });

  test("an acknowledged delivery is deleted after 90 days, with its event and attempts", async () => {
    const keptId = await addDelivery({ state: "acknowledged", ageDays: 89 });
    await addDelivery({ state: "acknowledged", ageDays: 91 });
    await purgeAll();
    expect(await readIds("deliveries")).toEqual([keptId]);
    expect(await countRows("events")).toBe(1);
    expect(await countRows("attempts")).toBe(1);
  });

  test("an event without a delivery is deleted after 90 days", async () => {
    const keptId = await addEvent(89);
    await addEvent(91);
    await purgeAll();
    expect(await readIds("events")).toEqual([keptId]);
  });

  test("feed cursors stay valid when events are deleted, and the positions of deleted events are never reused [D-133]", async () => {
    const readPage = (after?: string) => readFeed(retention.store, retention.organisationId, { after, limit: 10 });
    const extractIds = ({ events }: Awaited<ReturnType<typeof readPage>>) => events.map(({ id }) => id);
    const oldIds = [await addEvent(91), await addEvent(91)];
    const oldPage = await readPage();
    expect(extractIds(oldPage)).toEqual(oldIds);
    const firstEventPage = await readFeed(retention.store, retention.organisationId, { after: undefined, limit: 1 });
    await purgeAll();
    expect(await readPage()).toEqual({ events: [], cursor: expect.any(String), more: false });
    expect(await readPage(oldPage.cursor)).toEqual({ events: [], cursor: oldPage.cursor, more: false });
    const newIds = [await addEvent(1), await addEvent(0)];
    for (const after of [undefined, firstEventPage.cursor, oldPage.cursor])
      expect(extractIds(await readPage(after))).toEqual(newIds);
  });

  test("pending, held and failed deliveries and their events are never deleted, but their old attempts are [D-77]", async () => {
    const ids = [
      await addDelivery({ state: "pending", ageDays: 3_000 }),
      await addDelivery({ state: "dead", ageDays: 3_000 }),
    ];
    retention.organisationId = await addOrganisation(retention.store, "https://hooks.example");
    await retention.store.db
      .updateTable("endpoints")
      .set({ disabled_at: daysAgo(2_999), disabled_because: "gone" })
      .execute();
    ids.push(await addDelivery({ state: "pending", ageDays: 3_000 }));
    await purgeAll();
    expect((await readIds("deliveries")).sort()).toEqual(ids.sort());
    expect(await countRows("events")).toBe(3);
    expect(await countRows("attempts")).toBe(0);
  });

  test("a delivery that was not implemented is deleted after 90 days, like an acknowledged one [D-77]", async () => {
    await addDelivery({ state: "not_implemented", ageDays: 91 });
    const recentId = await addDelivery({ state: "not_implemented", ageDays: 89 });
    await purgeAll();
    expect(await readIds("deliveries")).toEqual([recentId]);
  });

  test("a failed delivery that a later response has superseded is deleted before that response", async () => {
    const failedId = await addDelivery({ state: "dead", ageDays: 100, orderKey: "one" });
    const laterId = await addDelivery({ state: "acknowledged", ageDays: 95, orderKey: "one" });
    // The later delivery must outlive the failed delivery, so it is deleted in the next batch.
    await purgeExpired(retention.store, today, defaultRetention, rethrow);
    expect(await readIds("deliveries")).toEqual([laterId]);
    await purgeAll();
    expect(await readIds("deliveries")).toEqual([]);

    const recentId = await addDelivery({ state: "dead", ageDays: 80, orderKey: "two" });
    const supersedingId = await addDelivery({ state: "acknowledged", ageDays: 95, orderKey: "two" });
    await purgeAll();
    expect((await readIds("deliveries")).sort()).toEqual([recentId, supersedingId].sort());
    expect(failedId).not.toBe(recentId);
  });

  test("a redelivered delivery is deleted after its redelivery", async () => {
    const eventId = await addEvent(100);
    const originalId = await addDelivery({ state: "acknowledged", ageDays: 100, eventId });
    const redeliveryId = await addDelivery({ state: "acknowledged", ageDays: 10, eventId, redeliveryOf: originalId });
    await purgeAll();
    expect((await readIds("deliveries")).sort()).toEqual([originalId, redeliveryId].sort());
    const later = new Date(today.getTime() + 85 * 86_400_000);
    await purgeAll(later);
    expect(await readIds("deliveries")).toEqual([originalId]);
    await purgeAll(later);
    expect(await countRows("deliveries")).toBe(0);
    expect(await countRows("events")).toBe(0);
  });

  test("thousands of rows are deleted in batches", async () => {
    await retention.store.execute(
      `with added as (
         insert into events (id, organisation_id, type, data, created_at)
         select 'event-' || n, $1, 'workerAddedContact', '{}', $2 from generate_series(1, 1200) n returning id
       )
       insert into deliveries (id, event_id, organisation_id, order_key, state, settled_at)
       select id, id, $1, id, 'acknowledged', $2 from added`,
      [retention.organisationId, daysAgo(91)],
    );
    expect(await purgeExpired(retention.store, today, defaultRetention, rethrow)).toBe(true);
    expect(await countRows("deliveries")).toBe(retention.store.name === "pglite" ? 1_100 : 700);
    await purgeAll();
    expect(await countRows("deliveries")).toBe(0);
    expect(await countRows("events")).toBe(0);
  });

  test("several processes can delete expired rows at the same time", async () => {
    for (let index = 0; index < 20; index += 1) await addDelivery({ state: "acknowledged", ageDays: 91 });
    await Promise.all([purgeAll(), purgeAll(), purgeAll()]);
    expect(await countRows("deliveries")).toBe(0);
  });

  test("the retention periods come from the settings", async () => {
    await addDelivery({ state: "acknowledged", ageDays: 8 });
    await purgeExpired(retention.store, today, { deliveryDays: 7, contentDays: 1 }, rethrow);
    expect(await countRows("deliveries")).toBe(0);
  });
});
