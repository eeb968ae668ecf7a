import type { Queue } from "../queue/queue.ts";
import type { Store } from "../store/store.ts";
import { holdDeliveries } from "./hold-deliveries.ts";
import { releaseDeliveries } from "./release-deliveries.ts";

/**
 * Holds and releases what one transaction had no room for, or what was recorded while an endpoint was disabled or enabled.
 *
 * @returns whether there may be more
 */
export async function sweepHeld(store: Store, queue: Queue, now: () => Date): Promise<boolean> {
  const isHolding = await store.transaction((trx) => holdDeliveries(trx, queue));
  const isReleasing = await store.transaction((trx) => releaseDeliveries(trx, queue, now()));
  return isHolding || isReleasing;
}
