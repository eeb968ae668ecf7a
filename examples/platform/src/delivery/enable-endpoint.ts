import type { Queue } from "../queue/queue.ts";
import type { Trx } from "../store/store.ts";
import { releaseDeliveries } from "./release-deliveries.ts";

/**
 * Begins anew with an endpoint that passed its checks (D-73): it counts as well, and the first of what was held for it
 * becomes pending; the sweep releases the rest in batches.
 */
export async function enableEndpoint(trx: Trx, queue: Queue, organisationId: string, now: Date): Promise<void> {
  await trx
    .updateTable("endpoints")
    .set({ consecutive_failures: 0, failing_since: null, breaker_pauses: 0, breaker_open_until: null })
    .set({ disabled_at: null, disabled_because: null })
    .where("organisation_id", "=", organisationId)
    .execute();
  await releaseDeliveries(trx, queue, now, organisationId);
}
