import { sql } from "kysely";
import type { Queue } from "../../src/queue/queue.ts";
import type { Store } from "../../src/store/store.ts";

/** Records `count` events that are due, with their jobs, none behind another: as many calls of `recordEvent`, but fast. */
export async function recordDue(store: Store, queue: Queue, organisationId: string, count: number): Promise<void> {
  await store.transaction(async (trx) => {
    const { rows } = await sql<{ id: string }>`
      with recorded as (
        insert into events (id, organisation_id, type, data)
        select gen_random_uuid()::text, ${organisationId}, 'workerAddedContact', '{"workerId":"worker-1"}'
        from generate_series(1, ${sql.lit(count)})
        returning id
      )
      insert into deliveries (id, event_id, organisation_id, order_key)
      select gen_random_uuid()::text, id, ${organisationId}, id from recorded
      returning id`.execute(trx);
    await queue.enqueue(
      trx,
      "deliveries",
      rows.map(({ id }) => ({ key: id, group: organisationId })),
    );
  });
}
