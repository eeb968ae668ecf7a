import { randomInt, randomUUID } from "node:crypto";
import { sql } from "kysely";
import { wakeLanes } from "../../examples/platform/src/outbox/queue.ts";
import { announce, type Store, type Trx } from "../../examples/platform/src/store/store.ts";

/** What a store may hold beside the endpoints that are delivered to. Each comes on top of those before it. */
export const burdens = ["idle", "disabled", "notDue", "settled", "paused"] as const;
export type Burden = (typeof burdens)[number];

/** Of a transaction, which has five seconds. */
const rowsPerInsert = 5_000;

/** Twenty endpoints, `busy-1` to `busy-20`, and an event that all deliveries carry. */
export async function addBusy(store: Store): Promise<void> {
  await addEndpoints(store, "busy", 20);
  await store.db
    .insertInto("events")
    .values({ id: "event", organisation_id: "busy-1", type: "workerAddedContact", data: '{"workerId":"worker-1"}' })
    .execute();
}

/** @param size endpoints that are idle, or rows behind one; a thousandth of it are paused endpoints */
export async function addBurden(store: Store, burden: Burden, size: number): Promise<void> {
  switch (burden) {
    case "idle":
      return addEndpoints(store, "idle", size / 10);
    case "disabled":
      await addEndpoints(store, "disabled", 1);
      await sql`update endpoints set disabled_at = now(), disabled_because = 'gone' where organisation_id = 'disabled-1'`.execute(
        store.db,
      );
      return addDeliveries(store, size, sql`'disabled-1'`, sql`now()`);
    case "notDue":
      await addDeliveries(store, size, sql`'idle-' || (number % ${size / 10} + 1)`, sql`now() + interval '1 day'`);
      return store.transaction(async (trx) => {
        await wake(trx, sql`now() + interval '1 day'`, sql`like 'idle-%'`);
      });
    case "settled":
      return addDeliveries(store, size, sql`'busy-' || (number % 20 + 1)`, undefined);
    case "paused":
      await addEndpoints(store, "paused", size / 1_000);
      await sql`update endpoints set breaker_open_until = now() + interval '1 day' where organisation_id like 'paused-%'`.execute(
        store.db,
      );
      await addDeliveries(store, size / 200, sql`'paused-' || (number % ${size / 1_000} + 1)`, sql`now()`);
      // As they are after the attempt that opened the breaker.
      return store.transaction(async (trx) => {
        await wake(trx, sql`now() + interval '1 day'`, sql`like 'paused-%'`);
      });
  }
}

/** Deliveries that are due now, evenly to the twenty. */
export async function addDue(store: Store, count: number): Promise<void> {
  await addDeliveries(store, count, sql`'busy-' || (number % 20 + 1)`, sql`now()`);
  await store.transaction(async (trx) => {
    await wake(trx, sql`now()`, sql`like 'busy-%'`);
    announce(trx, { topic: "delivery", organisationId: "busy-1" });
  });
}

/** Deliveries that are due now, each recorded by itself, to one of the twenty at random. */
export async function addEach(store: Store, count: number): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, () => {
      const lane = `busy-${randomInt(1, 21)}`;
      return store.transaction(async (trx) => {
        const id = randomUUID();
        await trx
          .insertInto("deliveries")
          .values({ id, event_id: "event", organisation_id: lane, order_key: id, due_at: sql`now()` })
          .execute();
        await wakeLanes(trx, "webhooks", [lane]);
        announce(trx, { topic: "delivery", organisationId: lane });
      });
    }),
  );
}

type Sql = ReturnType<typeof sql>;

const wake = (trx: Trx, at: Sql, lanes: Sql) =>
  sql`insert into outbox_wakeups (queue, at, lane)
    select 'webhooks', ${at}, organisation_id from endpoints where organisation_id ${lanes} on conflict do nothing`.execute(
    trx,
  );

async function addEndpoints(store: Store, name: string, count: number): Promise<void> {
  const ids = sql`select ${`${name}-`} || number as id from generate_series(1, ${count}) as number`;
  await store.transaction(async (trx) => {
    await sql`insert into organisations (id, name, kind) select id, 'Acme', 'hirer' from (${ids}) as ids`.execute(trx);
    await sql`
      insert into endpoints (organisation_id, base_address, encrypted_secret, suggests_contacts, updated_at)
      select id, 'http://127.0.0.1:1', repeat('x', 120), false, now() from (${ids}) as ids`.execute(trx);
  });
}

/** @param dueAt undefined for settled ones */
async function addDeliveries(store: Store, count: number, organisation: Sql, dueAt: Sql | undefined): Promise<void> {
  for (let made = 0; made < count; made += rowsPerInsert) {
    const last = Math.min(count, made + rowsPerInsert);
    await store.transaction((trx) =>
      sql`
        insert into deliveries (id, event_id, organisation_id, order_key, state, due_at, settled_at)
        select id, 'event', ${organisation}, id, ${dueAt === undefined ? "acknowledged" : "pending"},
          ${dueAt ?? sql`null`}, ${dueAt === undefined ? sql`now()` : sql`null`}
        from (
          select number, gen_random_uuid()::text as id from generate_series(${made + 1}::int, ${last}::int) as number
        ) as made`.execute(trx),
    );
  }
}
