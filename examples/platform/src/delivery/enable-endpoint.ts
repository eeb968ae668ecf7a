import type { Queue } from "../queue/queue.ts";
import type { Trx } from "../store/store.ts";
import { releaseDeliveries } from "./release-deliveries.ts";

/**
 * Begins anew with an endpoint that passed its checks (D-73): it counts as well, and the first of what was held for it
 * becomes pending; the sweep releases the rest in batches. Commit it, then `hastenDeliveries`.
 */
export async function enableEndpoint(trx: Trx, queue: Queue, organisationId: string, now: Date): Promise<void> {
  await trx
    .updateTable("endpoints")
    .set({
      consecutive_failures: 0,
      failing_since: null,
      last_failed_at: null,
      breaker_pauses: 0,
      breaker_open_until: null,
    })
    .set({ disabled_at: null, disabled_because: null })
    .where("organisation_id", "=", organisationId)
    .execute();
  await releaseDeliveries(trx, queue, now, organisationId);
}
