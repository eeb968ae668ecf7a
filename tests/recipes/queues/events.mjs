import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";

const receivedAt = "2026-01-05T09:30:00.000Z";
const createEvent = (workerId, key) => ({ type: "WorkerAddedContact", data: { workerId }, receivedAt, ...key });
const createKey = (id) => ({ deduplicationKey: createHash("sha256").update(id).digest("hex") });

/** Five events from a scheme that signs an id, and three from one that does not. */
export const events = [
  ...["a", "b", "c", "d", "e"].map((id) => createEvent(`keyed_${id}`, createKey(id))),
  ...["f", "g", "h"].map((id) => createEvent(`keyless_${id}`)),
];

const handledWorkerIds = new Set();

/** Creates a handler that fails once for each event, like a worker whose database is down. */
export function createHandle() {
  const failedWorkerIds = new Set();
  return async ({ data: { workerId } }) => {
    if (!failedWorkerIds.has(workerId)) {
      failedWorkerIds.add(workerId);
      throw new Error("the handler failed");
    }
    handledWorkerIds.add(workerId);
  };
}

/** Waits until every event has been handled. @throws after a minute */
export async function waitUntilAllAreHandled() {
  for (let seconds = 0; handledWorkerIds.size < events.length; seconds += 1) {
    if (seconds > 60) throw new Error(`Only these events were handled: ${[...handledWorkerIds].sort().join(", ")}.`);
    await setTimeout(1_000);
  }
}
