import { describe, expect, test } from "vitest";
import { purgeExpired } from "../../src/retention.ts";
import { defaultRetention } from "../../src/settings/settings.ts";
import { readFeed } from "../../src/webhooks/event-feed.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { anyStore } from "../support/stores/stores.ts";
import { daysAgo, fail, today, useRetention } from "./use-retention.ts";

describe.each(await anyStore())("retention on $title", ({ createDatabase }) => {
  const retention = useRetention(createDatabase);
  const { purgeAll, addDelivery, addEvent, idsOf, countOf } = retention;

  test("empties the response of an endpoint after 30 days, and keeps the attempt for 90 [D-77]", async () => {
    await addDelivery({ state: "acknowledged", days: 29 });
    await addDelivery({ state: "acknowledged", days: 31 });
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

  test("deletes an acknowledged delivery after 90 days, with its event and attempts", async () => {
    const kept = await addDelivery({ state: "acknowledged", days: 89 });
    await addDelivery({ state: "acknowledged", days: 91 });
    await purgeAll();
    expect(await idsOf("deliveries")).toEqual([kept]);
    expect(await countOf("events")).toBe(1);
    expect(await countOf("attempts")).toBe(1);
  });

  test("deletes an event without a delivery after 90 days", async () => {
    const kept = await addEvent(89);
    await addEvent(91);
    await purgeAll();
    expect(await idsOf("events")).toEqual([kept]);
  });

  test("keeps the cursors of the feed valid after deleted events, and never reuses their positions [D-133]", async () => {
    const read = (after?: string) => readFeed(retention.store, retention.organisation, { after, limit: 10 });
    const idsIn = ({ events }: Awaited<ReturnType<typeof read>>) => events.map(({ id }) => id);
    const old = [await addEvent(91), await addEvent(91)];
    const unread = await read();
    expect(idsIn(unread)).toEqual(old);
    const beforeSecond = await readFeed(retention.store, retention.organisation, { after: undefined, limit: 1 });
    await purgeAll();
    expect(await read()).toEqual({ events: [], cursor: expect.any(String), more: false });
    expect(await read(unread.cursor)).toEqual({ events: [], cursor: unread.cursor, more: false });
    const kept = [await addEvent(1), await addEvent(0)];
    for (const after of [undefined, beforeSecond.cursor, unread.cursor]) expect(idsIn(await read(after))).toEqual(kept);
  });

  test("never deletes a pending, held or failed delivery or its event, but deletes its old attempts [D-77]", async () => {
    const ids = [
      await addDelivery({ state: "pending", days: 3_000 }),
      await addDelivery({ state: "dead", days: 3_000 }),
    ];
    retention.organisation = await addOrganisation(retention.store, "https://hooks.example");
    await retention.store.db
      .updateTable("endpoints")
      .set({ disabled_at: daysAgo(2_999), disabled_because: "gone" })
      .execute();
    ids.push(await addDelivery({ state: "pending", days: 3_000 }));
    await purgeAll();
    expect((await idsOf("deliveries")).sort()).toEqual(ids.sort());
    expect(await countOf("events")).toBe(3);
    expect(await countOf("attempts")).toBe(0);
  });

  test("deletes a failed delivery once a later response has superseded it, and before that response", async () => {
    const dead = await addDelivery({ state: "dead", days: 100, orderKey: "one" });
    const later = await addDelivery({ state: "acknowledged", days: 95, orderKey: "one" });
    // The later one is deleted in the next batch, because it must outlive the failed one.
    await purgeExpired(retention.store, today, defaultRetention, fail);
    expect(await idsOf("deliveries")).toEqual([later]);
    await purgeAll();
    expect(await idsOf("deliveries")).toEqual([]);

    const recent = await addDelivery({ state: "dead", days: 80, orderKey: "two" });
    const overtaking = await addDelivery({ state: "acknowledged", days: 95, orderKey: "two" });
    await purgeAll();
    expect((await idsOf("deliveries")).sort()).toEqual([recent, overtaking].sort());
    expect(dead).not.toBe(recent);
  });

  test("deletes a redelivered delivery after its redelivery", async () => {
    const eventId = await addEvent(100);
    const first = await addDelivery({ state: "acknowledged", days: 100, eventId });
    const repeat = await addDelivery({ state: "acknowledged", days: 10, eventId, redeliveryOf: first });
    await purgeAll();
    expect((await idsOf("deliveries")).sort()).toEqual([first, repeat].sort());
    const later = new Date(today.getTime() + 85 * 86_400_000);
    await purgeAll(later);
    expect(await idsOf("deliveries")).toEqual([first]);
    await purgeAll(later);
    expect(await countOf("deliveries")).toBe(0);
    expect(await countOf("events")).toBe(0);
  });

  test("deletes thousands of rows in batches", async () => {
    await retention.store.execute(
      `with added as (
         insert into events (id, organisation_id, type, data, created_at)
         select 'event-' || n, $1, 'workerAddedContact', '{}', $2 from generate_series(1, 1200) n returning id
       )
       insert into deliveries (id, event_id, organisation_id, order_key, state, settled_at)
       select id, id, $1, id, 'acknowledged', $2 from added`,
      [retention.organisation, daysAgo(91)],
    );
    expect(await purgeExpired(retention.store, today, defaultRetention, fail)).toBe(true);
    expect(await countOf("deliveries")).toBe(retention.store.name === "pglite" ? 1_100 : 700);
    await purgeAll();
    expect(await countOf("deliveries")).toBe(0);
    expect(await countOf("events")).toBe(0);
  });

  test("works in two processes at the same time", async () => {
    for (let index = 0; index < 20; index += 1) await addDelivery({ state: "acknowledged", days: 91 });
    await Promise.all([purgeAll(), purgeAll(), purgeAll()]);
    expect(await countOf("deliveries")).toBe(0);
  });

  test("takes its periods from the settings", async () => {
    await addDelivery({ state: "acknowledged", days: 8 });
    await purgeExpired(retention.store, today, { deliveryDays: 7, contentDays: 1 }, fail);
    expect(await countOf("deliveries")).toBe(0);
  });
});
