import { sql } from "kysely";
import { holdClaims } from "../queue/hold-claims.ts";
import type { ClaimedJob, Queue } from "../queue/queue.ts";
import { type Loop, runLoop } from "../queue/run-loop.ts";
import type { Store, Trx } from "../store/store.ts";
import type { PushTransport } from "./push-transport.ts";
import { maxPushAttempts, sweepNotifications } from "./sweep-notifications.ts";
import { type UnsentNotification, unsentNotifications } from "./unsent-notifications.ts";

export interface PushOptions {
  store: Store;
  queue: Queue;
  transport: PushTransport;
  /** Called after a commit that put notifications on the menu, such as the feed's `wake`. */
  onTold?: () => void;
  /** Told of trouble, also of a transport that refused. The work goes on. */
  onError: (error: unknown) => void;
  /** The pause after the first refusal by the transport; each further one is twice as long. @default 5_000 */
  firstRetryMs?: number;
  /** How often to look for notifications when nobody says that there are. @default 200 */
  idleMs?: number;
  /** How often to look for unsent notifications without a job. @default 10_000 */
  sweepMs?: number;
  now?: () => Date;
}

/** So many are sent at a time, and marked as sent in one transaction. */
const batchSize = 100;

/** What came of handing a notification to the transport. */
interface MadePush {
  job: ClaimedJob;
  notification: UnsentNotification;
  sent: boolean;
}

/** Sends notifications (D-48) until it is stopped. `wake()` after a commit that wrote some. */
export function startPush(options: PushOptions): Loop {
  const { store, queue, transport, onError, onTold = () => undefined, firstRetryMs = 5_000 } = options;
  const now = options.now ?? (() => new Date());
  const claims = holdClaims(queue, "notifications", onError);

  const push = async (job: ClaimedJob, notification: UnsentNotification): Promise<MadePush> => {
    const { platform, token, attempts: _, ...content } = notification;
    const { deviceId: id, workerId } = content;
    try {
      // A worker without a device is told by the menu alone.
      if (id !== null && platform !== null) await transport.send({ id, workerId, platform, token }, content);
      return { job, notification, sent: true };
    } catch (error) {
      onError(error);
      return { job, notification, sent: false };
    }
  };

  const settle = (jobs: readonly ClaimedJob[], made: readonly MadePush[]): Promise<void> =>
    store.transaction(async (trx) => {
      await countAttempts(trx, made);
      const again = made.filter(({ sent, notification }) => !sent && notification.attempts + 1 < maxPushAttempts);
      const deferred = again.map(({ job, notification: { attempts } }) => {
        return { ...job, startAfter: new Date(now().getTime() + firstRetryMs * 2 ** attempts) };
      });
      const ids = new Set(deferred.map(({ id }) => id));
      await queue.defer(trx, "notifications", deferred);
      const done = jobs.filter(({ id }) => !ids.has(id));
      await queue.settle(trx, "notifications", done);
    });

  const tick = async (): Promise<boolean> => {
    const jobs = await queue.claim("notifications", { limit: batchSize });
    if (jobs.length === 0) return false;
    for (const job of jobs) claims.add(job);
    try {
      await send(jobs);
    } finally {
      for (const job of jobs) claims.delete(job);
    }
    onTold();
    return jobs.length === batchSize;
  };

  const send = async (jobs: readonly ClaimedJob[]): Promise<void> => {
    const jobOf = new Map(jobs.map((job) => [Number(job.key), job]));
    const unsent = await unsentNotifications(store, [...jobOf.keys()]);
    const made = await Promise.all(
      unsent.flatMap((notification) => {
        const job = jobOf.get(notification.id);
        return job === undefined ? [] : [push(job, notification)];
      }),
    );
    await settle(jobs, made);
  };

  const loop = runLoop(tick, { idleMs: options.idleMs ?? 200, onError });
  const sweep = runLoop(() => sweepNotifications(store, queue), { idleMs: options.sweepMs ?? 10_000, onError });
  return {
    wake: loop.wake,
    async stop() {
      await Promise.all([sweep.stop(), loop.stop()]);
      await claims.stop();
    },
  };
}

async function countAttempts(trx: Trx, made: readonly MadePush[]): Promise<void> {
  for (const sent of [true, false]) {
    const ids = made.filter((each) => each.sent === sent).map(({ notification }) => notification.id);
    if (ids.length === 0) continue;
    await trx
      .updateTable("notifications")
      .set(({ eb, fn }) => ({
        attempts: eb("attempts", "+", 1),
        told_at: fn.coalesce("told_at", sql<Date>`now()`),
        ...(sent && { sent_at: sql<Date>`now()` }),
      }))
      .where("id", "in", ids)
      .execute();
  }
}
