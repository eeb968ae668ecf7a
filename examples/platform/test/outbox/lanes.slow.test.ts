import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { claimRows } from "../../src/outbox/claim.ts";
import { webhooks } from "../../src/webhooks/start-delivery.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { recordDue } from "../support/record-due.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { useLeases, wide } from "./use-leases.ts";

describe.each(await storesUnderTest())("claims on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);
  const { newProcess } = outbox;

  test("serve 40 rows of one lane beside 5,000 of another in turns", async () => {
    const otherId = await addOrganisation(outbox.store, "http://127.0.0.1:2");
    for (let times = 0; times < 5; times += 1) await recordDue(outbox.store, outbox.organisationId, 1_000);
    await recordDue(outbox.store, otherId, 40);
    const leases = newProcess();
    const lanesOfClaim = async () => {
      const claimed = (await claimRows(outbox.store, leases, wide, 100)) ?? [];
      return [outbox.organisationId, otherId].map((id) => claimed.filter(({ lane }) => lane === id).length);
    };
    // A lane's turn takes all of its remaining capacity, which is a hundred.
    expect(await lanesOfClaim()).toEqual([100, 0]);
    expect(await lanesOfClaim()).toEqual([0, 40]);
  });

  test("serve another lane before the rest of one whose room is larger than a claim", async () => {
    const otherId = await addOrganisation(outbox.store, "http://127.0.0.1:2");
    await recordDue(outbox.store, outbox.organisationId, 500);
    await recordDue(outbox.store, otherId, 1);
    const leases = newProcess();
    const claimLanes = async () => {
      const claimed = (await claimRows(outbox.store, leases, { ...wide, capacity: 1_000 }, 100)) ?? [];
      return claimed.map(({ lane }) => lane);
    };
    expect(new Set(await claimLanes())).toEqual(new Set([outbox.organisationId]));
    expect((await claimLanes())[0]).toBe(otherId);
    let claims = 0;
    for (let rest = 301; rest > 0; claims += 1) rest -= (await claimLanes()).length;
    expect(claims).toBe(4);
    expect(await claimLanes()).toEqual([]);
    expect(await outbox.store.execute("select from outbox_wakeups")).toMatchObject({ rows: [] });
  });

  test("of a paused endpoint are planned once, however often its lane is woken", async () => {
    const openUntil = sql`now() + interval '1 hour'`;
    await sql`update endpoints set breaker_open_until = ${openUntil} where organisation_id = ${outbox.organisationId}`.execute(
      outbox.store.db,
    );
    const leases = newProcess();
    for (let times = 0; times < 3; times += 1) {
      await recordDue(outbox.store, outbox.organisationId, 1);
      expect(
        await claimRows(
          outbox.store,
          leases,
          webhooks(() => new Date()),
          10,
        ),
      ).toEqual([]);
    }
    const { rows } = await outbox.store.execute(
      "select extract(epoch from at - now())::int as seconds from outbox_wakeups",
    );
    expect(rows).toEqual([{ seconds: expect.closeTo(3_600, -1) }]);
  });

  test("serve all woken lanes before any a second time, however many and however often one was woken", async () => {
    await recordDue(outbox.store, outbox.organisationId, 500);
    await sql`
      insert into outbox_wakeups (queue, at, lane)
      select 'webhooks', now() - number * interval '1 minute', ${outbox.organisationId} from generate_series(1, 5000) as number
      `.execute(outbox.store.db);
    const others: string[] = [];
    for (let other = 0; other < 150; other += 1) others.push(await addOrganisation(outbox.store, "http://127.0.0.1:2"));
    for (const id of others) await recordDue(outbox.store, id, 2);
    const leases = newProcess(60_000);
    const first = (await claimRows(outbox.store, leases, wide, 100)) ?? [];
    // 5,000 wake-ups of this lane are older than all others.
    expect(new Set(first.map(({ lane }) => lane))).toEqual(new Set([outbox.organisationId]));
    const served: string[] = [];
    // Three are enough for 300 rows, unless the last one holds too few of the shards that have some left.
    for (let claims = 0; claims < 4 && served.length < others.length; claims += 1) {
      const claimed = (await claimRows(outbox.store, leases, wide, 100)) ?? [];
      const lanes = new Set(claimed.map(({ lane }) => lane));
      const isSecondTurn = lanes.delete(outbox.organisationId);
      served.push(...lanes);
      if (isSecondTurn) expect(served).toHaveLength(others.length);
    }
    expect(served.toSorted()).toEqual(others.toSorted());
  });
});
