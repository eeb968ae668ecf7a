import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { alwaysOpen } from "../../src/outbox/queue.ts";
import { createWebhookQueue } from "../../src/webhooks/start-delivery.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { useLeases, wideQueue } from "./use-leases.ts";

describe.each(await storesUnderTest())("claims on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { openProcessLeases } = outbox;

  test("claims alternate between a lane with 40 rows and a lane with 5,000 rows", async () => {
    const otherId = await addOrganisation(outbox.store, "http://127.0.0.1:2");
    for (let times = 0; times < 5; times += 1) await recordDueEvents(outbox.store, outbox.organisationId, 1_000);
    await recordDueEvents(outbox.store, otherId, 40);
    const leases = openProcessLeases();
    const claimAndCountPerLane = async () => {
      const claimed = (await claimRows(outbox.store, leases, wideQueue, 100)) ?? [];
      return [outbox.organisationId, otherId].map((id) => claimed.filter(({ lane }) => lane === id).length);
    };
    expect(await claimAndCountPerLane()).toEqual([50, 40]);
    // This claim fills the lane to its capacity of 100.
    expect(await claimAndCountPerLane()).toEqual([50, 0]);
  });

  test("claims share their limit among lanes, and move a lane with more rows to the end of the queue", async () => {
    const otherId = await addOrganisation(outbox.store, "http://127.0.0.1:2");
    await recordDueEvents(outbox.store, outbox.organisationId, 160);
    await recordDueEvents(outbox.store, otherId, 1);
    const leases = openProcessLeases();
    const claimLanes = async () => {
      const claimed =
        (await claimRows(outbox.store, leases, { ...wideQueue, laneState: alwaysOpen(1_000) }, 100)) ?? [];
      return claimed.map(({ lane }) => lane);
    };
    const firstLanes = await claimLanes();
    expect(firstLanes.filter((lane) => lane === outbox.organisationId)).toHaveLength(50);
    expect(firstLanes.filter((lane) => lane === otherId)).toHaveLength(1);
    expect(await claimLanes()).toHaveLength(100);
    expect(await claimLanes()).toHaveLength(10);
    expect(await claimLanes()).toEqual([]);
    expect(await outbox.store.execute("select from outbox_wakeups")).toMatchObject({ rows: [] });
  });

  test("claims schedule one wake-up for a paused endpoint, no matter how many times its lane is woken", async () => {
    const openUntil = sql`now() + interval '1 hour'`;
    await sql`update endpoints set breaker_open_until = ${openUntil} where organisation_id = ${outbox.organisationId}`.execute(
      outbox.store.db,
    );
    const leases = openProcessLeases();
    for (let times = 0; times < 3; times += 1) {
      await recordDueEvents(outbox.store, outbox.organisationId, 1);
      expect(
        await claimRows(
          outbox.store,
          leases,
          createWebhookQueue(() => new Date()),
          10,
        ),
      ).toEqual([]);
    }
    const { rows } = await outbox.store.execute(
      "select extract(epoch from at - now())::int as seconds from outbox_wakeups",
    );
    expect(rows).toEqual([{ seconds: expect.closeTo(3_600, -1) }]);
  });

  test("claims serve all woken lanes before they serve a lane twice, even if that lane was woken many times", async () => {
    await recordDueEvents(outbox.store, outbox.organisationId, 500);
    await sql`
      insert into outbox_wakeups (queue, at, lane)
      select 'webhooks', now() - number * interval '1 minute', ${outbox.organisationId} from generate_series(1, 5000) as number
      `.execute(outbox.store.db);
    const otherIds: string[] = [];
    for (let lane = 0; lane < 150; lane += 1) otherIds.push(await addOrganisation(outbox.store, "http://127.0.0.1:2"));
    for (const id of otherIds) await recordDueEvents(outbox.store, id, 2);
    const leases = openProcessLeases(60_000);
    const servedLanes: string[] = [];
    for (let claims = 0; claims < 12 && servedLanes.length < otherIds.length; claims += 1) {
      const claimed = (await claimRows(outbox.store, leases, wideQueue, 100)) ?? [];
      const lanes = new Set(claimed.map(({ lane }) => lane));
      // 5,000 wake-ups of this lane are older than those of all other lanes.
      const servesFirstLaneAgain = lanes.delete(outbox.organisationId) && claims > 0;
      servedLanes.push(...lanes);
      if (servesFirstLaneAgain) expect(servedLanes).toHaveLength(otherIds.length);
    }
    expect(servedLanes.toSorted()).toEqual(otherIds.toSorted());
  });
});
