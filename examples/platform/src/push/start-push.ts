import { sql } from "kysely";
import { GroupCommit } from "../queue/group-commit.ts";
import { holdClaims } from "../queue/hold-claims.ts";
import type { ClaimedJob, Queue } from "../queue/queue.ts";
import { type Loop, runLoop } from "../queue/run-loop.ts";
import type { Store, Trx } from "../store/store.ts";
import { behindOthers } from "./push-priority.ts";
import type { PushTransport } from "./push-transport.ts";
import { maxPushAttempts, sweepNotifications } from "./sweep-notifications.ts";
import { type UnsentNotification, unsentNotifications } from "./unsent-notifications.ts";

export interface PushOptions {
  store: Store;
  queue: Queue;
  transport: PushTransport;
  /** Called after a commit that put notifications on the menu of these workers. */
  onTold?: (workerIds: string[]) => void;
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

/** So many wait for the transport at a time. */
const maxInFlight = 200;
/** Of one claim and of one commit. */
const batchSize = 100;
/** How long storing what was sent is tried again; then somebody sends it a second time. */
const settleLimitMs = 10_000;

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
  const inFlight = new Set<Promise<unknown>>();

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

  const settle = async (made: readonly MadePush[]): Promise<void> => {
    await store.transaction(async (trx) => {
      await countAttempts(trx, made);
      const isOver = ({ sent, notification }: MadePush) => sent || notification.attempts + 1 >= maxPushAttempts;
      const again = made.filter((each) => !isOver(each));
      const deferred = again.map(({ job, notification: { attempts } }) => ({
        ...job,
        priority: behindOthers,
        startAfter: new Date(now().getTime() + firstRetryMs * 2 ** attempts),
      }));
      await queue.defer(trx, "notifications", deferred);
      const done = made.filter(isOver).map(({ job }) => job);
      await queue.settle(trx, "notifications", done);
    });
    onTold(made.map(({ notification }) => notification.workerId));
  };
  const settling = new GroupCommit<MadePush>({
    commit: settle,
    maxGroup: batchSize,
    onError,
    giveUpAfterMs: settleLimitMs,
  });

  const start = (job: ClaimedJob, notification: UnsentNotification): void => {
    const work = push(job, notification)
      .then((made) => settling.add(made))
      .finally(() => {
        inFlight.delete(work);
        claims.delete(job);
        loop.wake();
      });
    inFlight.add(work);
    claims.add(job);
  };

  const tick = async (): Promise<boolean> => {
    const limit = Math.min(batchSize, maxInFlight - inFlight.size);
    if (limit <= 0) return false;
    const jobs = await queue.claim("notifications", { limit });
    if (jobs.length === 0) return false;
    const keys = jobs.map(({ key }) => Number(key));
    const unsent = new Map((await unsentNotifications(store, keys)).map((each) => [String(each.id), each]));
    const stale = jobs.filter(({ key }) => !unsent.has(key));
    if (stale.length > 0) await store.transaction((trx) => queue.settle(trx, "notifications", stale));
    for (const job of jobs) {
      const notification = unsent.get(job.key);
      if (notification !== undefined) start(job, notification);
    }
    return jobs.length === limit;
  };

  const loop = runLoop(tick, { idleMs: options.idleMs ?? 200, onError });
  const sweep = runLoop(() => sweepNotifications(store, queue), { idleMs: options.sweepMs ?? 10_000, onError });
  return {
    wake: loop.wake,
    async stop() {
      await Promise.all([sweep.stop(), loop.stop()]);
      await Promise.all(inFlight);
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
