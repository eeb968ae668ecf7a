import { type CatchUpSummary, catchUp } from "@offers/webhook-kit/catch-up";
import type { Pool } from "pg";
import type { Queue } from "./queue.ts";

/**
 * Enqueues the events in the platform's feed after the last saved cursor. If an event also arrives as a webhook, the inbox recognises the
 * duplicate by its key.
 */
export async function enqueueMissedEvents(
  pool: Pool,
  queue: Pick<Queue, "send">,
  platformUrl: string,
  apiKey: string,
): Promise<CatchUpSummary> {
  const { rows } = await pool.query<{ cursor: string }>("SELECT cursor FROM feed WHERE platform = $1", [platformUrl]);
  return catchUp({
    baseUrl: platformUrl,
    apiKey,
    after: rows[0]?.cursor,
    onEvent: (event) => queue.send(event),
    // If the process is killed before this line, the page is read again, and the inbox recognises its events.
    onPage: ({ cursor }) =>
      pool.query("INSERT INTO feed VALUES ($1, $2) ON CONFLICT (platform) DO UPDATE SET cursor = excluded.cursor", [
        platformUrl,
        cursor,
      ]),
  });
}
