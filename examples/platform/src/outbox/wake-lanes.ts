import { sql } from "kysely";
import type { Trx } from "../store/store.ts";
import type { QueueName } from "../store/tables.ts";

/**
 * Has somebody look at these lanes, in the transaction that gives them something to do. It only inserts: neither other
 * writers nor the loops wait for it.
 */
export async function wakeLanes(trx: Trx, queue: QueueName, lanes: Iterable<string>): Promise<void> {
  const distinct = [...new Set(lanes)];
  if (distinct.length === 0) return;
  await sql`
    insert into outbox_wakeups (queue, at, lane)
    select ${queue}, now(), lane from json_array_elements_text(${JSON.stringify(distinct)}::text::json) as given (lane)
    on conflict do nothing`.execute(trx);
}
