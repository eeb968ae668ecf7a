import type { Queue } from "../queue/queue.ts";
import type { Trx } from "../store/store.ts";
import { enqueueFirst } from "./enqueue-first.ts";
import { heldPerBatch } from "./hold-deliveries.ts";

/**
 * Enqueues what a batch of `heldPerBatch` at most has made due.
 *
 * @returns whether there may be more
 */
export async function enqueueBatch(trx: Trx, queue: Queue, rows: readonly { id: string }[]): Promise<boolean> {
  if (rows.length === 0) return false;
  await enqueueFirst(
    trx,
    queue,
    rows.map(({ id }) => id),
  );
  return rows.length === heldPerBatch;
}
