// Handles the events that edge.ts enqueued. Its settings are DATABASE_URL and QUEUE_URL. PAUSE_MS delays each message, so that a
// demonstration can kill the worker while it handles one. With PLATFORM_URL and OFFERS_API_KEY, the worker first enqueues the events that
// it missed while it was not running.
import { setTimeout as pause } from "node:timers/promises";
import { parseWebhookEvent, type WebhookEvent } from "@offers/webhook-kit";
import { traceEvent } from "@offers/webhook-kit/opentelemetry";
import { postgresInbox } from "@offers/webhook-kit/postgres";
import { trace } from "@opentelemetry/api";
import { enqueueMissedEvents } from "./enqueue-missed.ts";
import { handleEvent } from "./handle-event.ts";
import { openPool } from "./open-pool.ts";
import { openQueue } from "./open-queue.ts";

const { PAUSE_MS = "0", PLATFORM_URL, OFFERS_API_KEY = "" } = process.env;
const pool = openPool();
const queue = await openQueue();
const inbox = postgresInbox(pool);

const tracer = trace.getTracer("@offers-examples/worker");

/** Handles an event in a span that continues the trace from `createOffer`. @returns whether the event was a duplicate */
const handleInSpan = (event: WebhookEvent): Promise<boolean> =>
  traceEvent(event, () =>
    tracer.startActiveSpan("save event", (span) => handleEvent(pool, inbox, event).finally(() => span.end())),
  );

/** Increments the number of duplicates with this cause. */
async function countDuplicate(isRedelivered: boolean): Promise<void> {
  const reason = isRedelivered ? "a worker exited before it removed the message" : "the service sent the event again";
  await pool.query(
    "INSERT INTO duplicates VALUES ($1, 1) ON CONFLICT (reason) DO UPDATE SET count = duplicates.count + 1",
    [reason],
  );
}

if (PLATFORM_URL) {
  const { read } = await enqueueMissedEvents(pool, queue, PLATFORM_URL, OFFERS_API_KEY);
  console.log(`worker has caught up; events enqueued from the feed: ${read}`);
}
await queue.work(async ({ event, isRedelivered }) => {
  const isDuplicate = await handleInSpan(parseWebhookEvent(event));
  if (isDuplicate) await countDuplicate(isRedelivered);
  // If the process is killed before this function ends, the message is delivered again.
  await pause(Number(PAUSE_MS));
});
console.log("worker is waiting for events");
