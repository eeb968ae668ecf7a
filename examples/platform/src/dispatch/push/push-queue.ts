import { sql } from "kysely";
import type { OutboxQueue } from "../outbox/outbox-queue.ts";

/**
 * The notifications as a queue, one lane for each offer: an offer to thousands and one to a few take turns. A push waits for
 * the one before it, to the same worker and device about the same offer, to end (D-99). Nothing comes before the offer itself. The
 * capacity is two claims: one is attempted while the other is stored.
 */
export const pushes: OutboxQueue = {
  ...{ name: "pushes", table: "notifications", id: "id", lane: "offer_id", capacity: 200 },
  isBlocked: sql`head.reason <> 'offer' and exists (
    select from outbox_leases join notifications as earlier on earlier.id = row_id
    where queue = 'pushes' and outbox_leases.lane = head.offer_id and earlier.worker_id = head.worker_id
      and earlier.device_id is not distinct from head.device_id and earlier.id < head.id)`,
};
