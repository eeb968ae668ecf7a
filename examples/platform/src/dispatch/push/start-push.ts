import { sql } from "kysely";
import type { Store, Trx } from "../../store/store.ts";
import type { Leases } from "../outbox/leases.ts";
import type { Loop } from "../outbox/run-loop.ts";
import { type Attempted, startDispatcher } from "../outbox/start-dispatcher.ts";
import { wakeWhenDue } from "../outbox/wake-lanes.ts";
import { type DueNotification, loadNotifications } from "./load-notifications.ts";
import { pushes } from "./push-queue.ts";
import type { PushTransport } from "./push-transport.ts";

export interface PushOptions {
  store: Store;
  leases: Leases;
  transport: PushTransport;
  /** Called with the number of pushes whose outcome was stored. */
  onSettled?: (count: number) => void;
  /** Called with trouble, also of a transport that refused. The work goes on. */
  onError: (error: unknown) => void;
  /** The pause after the first refusal by the transport; each further one is twice as long. @default 5_000 */
  firstRetryMs?: number;
}

const maxUnderWay = 200;

/** Push retry limit: after so many failed attempts a notification is no longer pushed; it stays on the menu (D-48). */
export const maxPushAttempts = 10;

type AttemptedPush = Attempted<DueNotification, "sent" | "refused">;

/** Pushes notifications (D-48) until it is stopped. `wake()` after a commit that wrote some. */
export function startPush({ store, leases, transport, onSettled, onError, firstRetryMs = 5_000 }: PushOptions): Loop {
  return startDispatcher<DueNotification, AttemptedPush["result"]>({
    ...{ store, leases, queue: pushes, maxUnderWay, onError },
    load: (claimed) => loadNotifications(store, claimed),
    async attempt({ platform, token, attempts: _, ...content }) {
      const { deviceId: id, workerId } = content;
      try {
        // A worker without a device has the menu alone.
        if (id !== null && platform !== null) await transport.send({ id, workerId, platform, token }, content);
        return "sent";
      } catch (error) {
        onError(error);
        return "refused";
      }
    },
    async settle(trx, made) {
      await settlePushes(trx, made, firstRetryMs);
      return () => onSettled?.(made.length);
    },
  });
}

async function settlePushes(trx: Trx, made: readonly AttemptedPush[], firstRetryMs: number): Promise<void> {
  const outcomes = made.map(({ row: { id, attempts }, result }) => ({
    id,
    isSent: result === "sent",
    retryInMs: result === "sent" || attempts + 1 >= maxPushAttempts ? null : firstRetryMs * 2 ** attempts,
  }));
  const outcome = sql`json_to_recordset(${JSON.stringify(outcomes)}::text::json)
    as outcome (id bigint, "isSent" boolean, "retryInMs" float8)`;
  // One that was superseded meanwhile is not sent again: it is no longer due, and stays so. Locked in the order of superseding,
  // which locks the same rows: two that lock in different orders wait for each other.
  await sql`
    with locked as materialized (
      select id from notifications where id = any (array(select outcome.id from ${outcome})) order by id for update
    ), settled as (
      update notifications set
        attempts = attempts + 1,
        sent_at = case when "isSent" then now() end,
        due_at = case when due_at is not null then now() + "retryInMs" * interval '1 ms' end
      from ${outcome} join locked on locked.id = outcome.id
      where notifications.id = locked.id
      returning offer_id as lane, due_at
    )
    ${wakeWhenDue("pushes")}`.execute(trx);
}
