import { type RawBuilder, sql } from "kysely";
import type { Trx } from "../../store/store.ts";
import type { QueueName } from "../../store/tables.ts";

/**
 * Inserts a wake-up of each lane, in the transaction that makes rows of it due, so that a process claims them. It only inserts:
 * neither other writers nor the loops wait for it.
 */
export async function wakeLanes(trx: Trx, queue: QueueName, lanes: Iterable<string>): Promise<void> {
  const distinct = [...new Set(lanes)];
  if (distinct.length === 0) return;
  await sql`
    insert into outbox_wakeups (queue, at, lane)
    select ${queue}, now(), lane from json_array_elements_text(${JSON.stringify(distinct)}::text::json) as given (lane)
    on conflict do nothing`.execute(trx);
}

/** Part of a statement with a part `settled` (lane, due_at): has a process look at each lane when its row is due. */
export const wakeWhenDue = (queue: QueueName): RawBuilder<unknown> => sql`
  insert into outbox_wakeups (queue, at, lane)
  select ${queue}, due_at, lane from settled where due_at is not null
  on conflict do nothing`;
