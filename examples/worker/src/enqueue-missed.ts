import { type CatchUpSummary, catchUp } from "@offers/webhook-kit/catch-up";
import type { Pool } from "pg";
import type { Queue } from "./queue.ts";

/**
 * Enqueues what the platform's feed has after the last cursor. An event that came as a webhook too is a duplicate for the inbox, since
 * both have the same key.
 */
export async function enqueueMissed(
  pool: Pool,
  queue: Pick<Queue, "send">,
  platform: string,
  apiKey: string,
): Promise<CatchUpSummary> {
  const { rows } = await pool.query<{ cursor: string }>("SELECT cursor FROM feed WHERE platform = $1", [platform]);
  return catchUp({
    baseUrl: platform,
    apiKey,
    after: rows[0]?.cursor,
    onEvent: (event) => queue.send(event),
    // Killed before this line, the page is read again, and the inbox knows its events.
    onPage: ({ cursor }) =>
      pool.query("INSERT INTO feed VALUES ($1, $2) ON CONFLICT (platform) DO UPDATE SET cursor = excluded.cursor", [
        platform,
        cursor,
      ]),
  });
}
