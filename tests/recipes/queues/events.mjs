import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";

const receivedAt = "2026-01-05T09:30:00.000Z";
const eventOf = (workerId, key) => ({ type: "WorkerAddedContact", data: { workerId }, receivedAt, ...key });
const keyOf = (id) => ({ deduplicationKey: createHash("sha256").update(id).digest("hex") });

/** Five events of a scheme that signs an id, three of one that does not. */
export const events = [
  ...["a", "b", "c", "d", "e"].map((id) => eventOf(`keyed_${id}`, keyOf(id))),
  ...["f", "g", "h"].map((id) => eventOf(`keyless_${id}`)),
];

const handled = new Set();

/** Fails once for each event, like a worker whose database is down. */
export function createHandle() {
  const failed = new Set();
  return async ({ data: { workerId } }) => {
    if (!failed.has(workerId)) {
      failed.add(workerId);
      throw new Error("a failure of the handler");
    }
    handled.add(workerId);
  };
}

/** @throws after a minute */
export async function whenAllAreHandled() {
  for (let seconds = 0; handled.size < events.length; seconds += 1) {
    if (seconds > 60) throw new Error(`Handled: ${[...handled].sort().join(", ")}.`);
    await setTimeout(1_000);
  }
}
