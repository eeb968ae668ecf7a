import type { WebhookEvent } from "@offers/webhook-kit";
import type { Inbox } from "@offers/webhook-kit/postgres";
import type { Pool, PoolClient } from "pg";

/** Handles one event from the queue. @returns whether it was a duplicate */
export async function handleEvent(pool: Pool, inbox: Inbox<PoolClient>, event: WebhookEvent): Promise<boolean> {
  switch (event.type) {
    case "WorkerOfferResponse": {
      // An upsert does not need the inbox. It saves the newest response, however often and in whatever order events are delivered.
      // The condition uses `<=` because two responses may be received within one millisecond.
      const { offerId, workerId, response } = event.data;
      await pool.query(
        `INSERT INTO responses (offer_id, worker_id, response, received_at) VALUES ($1, $2, $3, $4)
         ON CONFLICT (offer_id, worker_id) DO UPDATE SET response = excluded.response, received_at = excluded.received_at
         WHERE responses.received_at <= excluded.received_at`,
        [offerId, workerId, response, event.receivedAt],
      );
      return false;
    }
    case "OfferEventDeleted": {
      // A plain insert is not idempotent, so the inbox commits it together with a record of the event.
      const { offerId, workerId, eventStart } = event.data;
      const { duplicate } = await inbox.once(event, (tx) =>
        tx.query("INSERT INTO deleted_slots (offer_id, worker_id, event_start) VALUES ($1, $2, $3)", [
          offerId,
          workerId,
          eventStart,
        ]),
      );
      return duplicate;
    }
    default:
      return false;
  }
}
