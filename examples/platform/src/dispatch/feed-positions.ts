import { sql } from "kysely";
import type { Store } from "../store/store.ts";

/** Rows that are read in order, each owner's apart, and the table that holds each owner's last position. */
const feeds = {
  /** In the order of recording: under the lock of an order key, whatever the clocks of processes say. */
  events: { owner: "organisation_id", order: "feed_order", positions: "event_feeds" },
  notifications: { owner: "worker_id", order: "id", positions: "notification_feeds" },
} as const;

/** Rows that get a position in one transaction: it must end within five seconds. */
const maxPlaced = 5_000;

/**
 * Gives committed rows that have none a position in their owner's feed, in order. A number that is taken before the commit would let a
 * reader pass a row that is committed late; and waiting for the oldest transaction would let one that is forgotten stop all readers.
 * One reader places at a time, so a reader sees all positions below each that it sees.
 *
 * @returns whether some are left for the next read
 */
export async function placeRows(store: Store, table: keyof typeof feeds, ownerId: string): Promise<boolean> {
  const { owner, order, positions } = feeds[table];
  const [ownerColumn, orderColumn] = [sql.ref(owner), sql.ref(order)];
  const unplaced = sql`select ${orderColumn} from ${sql.table(table)} where ${ownerColumn} = ${ownerId} and position is null`;
  // A poll that finds nothing writes nothing.
  if ((await sql`${unplaced} limit 1`.execute(store.db)).rows.length === 0) return false;
  return store.transaction(async (trx) => {
    await sql`insert into ${sql.table(positions)} (${ownerColumn}) values (${ownerId}) on conflict do nothing`.execute(
      trx,
    );
    await sql`select from ${sql.table(positions)} where ${ownerColumn} = ${ownerId} for update`.execute(trx);
    // A statement of its own: it sees what was committed while this one waited for the lock.
    const { rows } = await sql<{ placed: number }>`
      with unplaced as (
        select id, row_number() over (order by number) as place from (
          select id, ${orderColumn} as number from ${sql.table(table)} where ${ownerColumn} = ${ownerId} and position is null
          order by ${orderColumn} limit ${maxPlaced}
        ) as earliest
      ), placed as (
        update ${sql.table(table)} as feed set position = last_position + place
        from unplaced, ${sql.table(positions)} as counter
        where feed.id = unplaced.id and counter.${ownerColumn} = ${ownerId}
        returning position
      ), counted as (select count(*)::int as placed, max(position) as last from placed), kept as (
        update ${sql.table(positions)} set last_position = last from counted where ${ownerColumn} = ${ownerId} and placed > 0
      )
      select placed from counted`.execute(trx);
    return rows[0]?.placed === maxPlaced;
  });
}
