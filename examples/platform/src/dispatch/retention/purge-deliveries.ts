import { sql } from "kysely";
import type { Trx } from "../../store/store.ts";

/**
 * Deletes deliveries settled before `before`, their attempts, and events without deliveries (D-77). A failed delivery is
 * deleted only if a later delivery superseded it, and before that one: otherwise it could be redelivered after the later
 * response (D-32).
 *
 * @returns the number of deleted deliveries
 */
export async function purgeDeliveries(trx: Trx, before: Date, limit: number): Promise<number> {
  const { rows } = await sql<{ id: string; event_id: string }>`
    select id, event_id from deliveries
    where settled_at <= ${before}
      and not exists (select from deliveries repeat where repeat.redelivery_of = deliveries.id)
      and case state
        when 'acknowledged' then not exists (
          select from deliveries older
          where older.organisation_id = deliveries.organisation_id and older.order_key = deliveries.order_key
            and older.sequence < deliveries.sequence and older.state <> 'acknowledged'
        )
        when 'dead' then exists (
          select from deliveries newer
          where newer.organisation_id = deliveries.organisation_id and newer.order_key = deliveries.order_key
            and newer.sequence > deliveries.sequence and newer.state <> 'dead'
        )
      end
    order by settled_at
    limit ${limit}
    for update skip locked`.execute(trx);
  if (rows.length === 0) return 0;
  const ids = sql.join(rows.map(({ id }) => id));
  const eventIds = sql.join(rows.map(({ event_id }) => event_id));
  await sql`delete from attempts where delivery_id in (${ids})`.execute(trx);
  await sql`delete from deliveries where id in (${ids})`.execute(trx);
  await sql`delete from events
    where id in (${eventIds}) and not exists (select from deliveries where event_id = events.id)`.execute(trx);
  return rows.length;
}
