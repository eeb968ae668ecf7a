import type { ClaimedJob, Queue, QueueName } from "./queue.ts";
import { runLoop } from "./run-loop.ts";

/** The claims that a process works on. */
export interface HeldClaims {
  add(job: ClaimedJob): void;
  delete(job: ClaimedJob): void;
  stop(): Promise<void>;
}

/** Several times within a lease, so that a slow event loop or store does not let a claim lapse. */
const renewalMs = 500;

/** Renews claims for as long as they are held (D-70). */
export function holdClaims(queue: Queue, name: QueueName, onError: (error: unknown) => void): HeldClaims {
  const held = new Set<ClaimedJob>();
  // A claim begins as good as renewed, and most are settled before they are old enough to be worth it.
  let old = new Set<ClaimedJob>();
  const renew = async (): Promise<boolean> => {
    const due = [...held].filter((job) => old.has(job));
    old = new Set(held);
    await queue.renew(name, due);
    return false;
  };
  const loop = runLoop(renew, { idleMs: renewalMs, onError });
  return {
    add: (job) => void held.add(job),
    delete: (job) => void held.delete(job),
    stop: loop.stop,
  };
}
