import { sql } from "kysely";
import { wakeLanes } from "../../src/outbox/queue.ts";
import type { Store } from "../../src/store/store.ts";

/** Records `count` events in bulk. All their deliveries are due immediately. */
export async function recordDueEvents(store: Store, organisationId: string, count: number): Promise<void> {
  await store.transaction(async (trx) => {
    await sql`
      with recorded as (
        insert into events (id, organisation_id, type, data)
        select gen_random_uuid()::text, ${organisationId}, 'workerAddedContact', '{"workerId":"worker-1"}'
        from generate_series(1, ${sql.lit(count)})
        returning id
      )
      insert into deliveries (id, event_id, organisation_id, order_key, due_at)
      select gen_random_uuid()::text, id, ${organisationId}, id, now() from recorded`.execute(trx);
    await wakeLanes(trx, "webhooks", [organisationId]);
  });
}
