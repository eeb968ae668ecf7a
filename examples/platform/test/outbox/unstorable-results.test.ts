import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { emailQueue } from "../../src/mail/start-mail.ts";
import { enqueueEmails } from "../../src/mail/write-mails.ts";
import type { OutboxQueue } from "../../src/outbox/queue.ts";
import { pushQueue } from "../../src/push/start-push.ts";
import type { Store } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";
import { recordDueEvents } from "../support/record-due.ts";
import { storesUnderTest } from "../support/stores/stores.ts";
import { countLeases, useLeases, queue as webhookQueue } from "./use-leases.ts";

/** Inserts three due rows. */
const enqueue: Record<OutboxQueue["name"], (store: Store, organisationId: string) => Promise<unknown>> = {
  webhooks: (store, organisationId) => recordDueEvents(store, organisationId, 3),
  mails: (store) =>
    store.transaction((trx) =>
      enqueueEmails(trx, Array(3).fill({ to_address: "a@b.example", subject: "s", body: "b" })),
    ),
  async pushes(store, organisationId) {
    await store.execute(
      `insert into offers (id, organisation_id, created_by_user_id, title, details, location_place_id, events)
       values ('offer-1', $1, 'user-1', 'Night shift', '', '', '[]')`,
      [organisationId],
    );
    await store.execute("insert into workers (id, name, password_hash) values ('worker-1', 'Ann', '')");
    await store.execute(
      `insert into notifications (worker_id, offer_id, reason, due_at)
       select 'worker-1', 'offer-1', 'offer', now() from generate_series(1, 3)`,
    );
    await store.execute("insert into outbox_wakeups (queue, lane, at) values ('pushes', 'offer-1', now())");
  },
};

describe.each(await storesUnderTest())("results that cannot be stored on $title", ({ createDatabase }) => {
  const outbox = useLeases(createDatabase);

  test.each([
    { queue: webhookQueue, name: "deliveries" },
    { queue: pushQueue, name: "pushes" },
    { queue: emailQueue, name: "emails" },
  ])(
    "a result that the database refuses postpones only its own row, for longer each time, and counts the attempt: $name [D-155]",
    async ({ queue }) => {
      const { store } = outbox;
      await enqueue[queue.name](store, outbox.organisationId);
      const table = sql.table(queue.table);
      const id = sql.ref(queue.id);
      const readRows = async () => {
        const { rows } = await sql<{ id: number; attempts: number; minutes: number | null }>`
          select ${id} as id, attempts, ceil(extract(epoch from due_at - now()) / 60)::int as minutes
          from ${table} order by 1`.execute(store.db);
        return rows;
      };
      const [refusedId = 0, ...otherIds] = (await readRows()).map((row) => row.id);
      const { loop, attempted, errors } = outbox.startDispatcher(store, outbox.openProcessLeases(), {
        queue,
        settleLimitMs: 0,
        async settle(trx, attempts) {
          for (const { row } of attempts) {
            if (row === refusedId) await sql`select 1 / 0`.execute(trx);
            await sql`update ${table} set due_at = null where ${id} = ${row}`.execute(trx);
          }
          return undefined;
        },
      });
      const others = otherIds.map((otherId) => ({ id: otherId, attempts: 0, minutes: null }));
      for (const [index, minutes] of [1, 2, 4].entries()) {
        const attempts = index + 1;
        await eventually(`attempt ${attempts} is postponed`, async () => (await readRows())[0]?.attempts === attempts);
        expect(await readRows()).toEqual([{ id: refusedId, attempts, minutes }, ...others]);
        expect(await countLeases(store)).toBe(0);
        await sql`update ${table} set due_at = now() where ${id} = ${refusedId}`.execute(store.db);
        await store.execute("update outbox_wakeups set at = now()");
        loop.wake();
      }
      await eventually("attempt 4 is postponed", async () => (await readRows())[0]?.attempts === 4);
      expect(attempted.toSorted((a, b) => a - b)).toEqual([...Array(4).fill(refusedId), ...otherIds]);
      expect(errors).toContainEqual(expect.objectContaining({ code: "attempt_postponed" }));
    },
  );
});
