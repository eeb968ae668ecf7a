import { sql } from "kysely";
import { type Attempted, startDispatcher } from "../outbox/dispatcher.ts";
import type { Leases } from "../outbox/leases.ts";
import { alwaysOpen, type Lease, type OutboxQueue } from "../outbox/queue.ts";
import type { Loop } from "../outbox/timers.ts";
import { placeName } from "../store/place-name.ts";
import type { Signals } from "../store/signals.ts";
import type { Store, Trx } from "../store/store.ts";
import { traceAttempt } from "../tracing/tracing.ts";
import type { Device, Notification, NotSentReason, PushTransport } from "./push-transport.ts";

export interface PushOptions {
  store: Store;
  leases: Leases;
  /** Wakes the loop after each commit that stores notifications. Without it, call `wake()`. */
  signals?: Pick<Signals, "subscribe">;
  transport: PushTransport;
  /** Called after the outcome of an attempt was stored. */
  onAttempt?: (record: PushRecord) => void;
  /** Called with errors, including those from the transport. Pushes continue. */
  onError: (error: unknown) => void;
  /** The delay before the first retry, in milliseconds. Each further delay is twice as long. @default 5_000 */
  firstRetryMs?: number;
}

/** An attempt to push a notification. It identifies neither the worker nor the device, because it is logged. */
export interface PushRecord extends Pick<Notification, "offerId" | "reason"> {
  notificationId: number;
  platform: Device["platform"] | null;
  /** Starts at 1. */
  number: number;
  /** `not_sent` means that only the menu shows the notification; `failed`, that no further attempt follows. */
  outcome: "sent" | "not_sent" | "retry" | "failed";
  /** Set if the outcome is `not_sent`. */
  because?: NotSentReason;
}

/**
 * How many pushes about one offer are sent concurrently, by all processes together. It is twice the size of a claim, so that one claim
 * can be attempted while the previous one is stored.
 */
const capacity = 200;

/** The push retry limit. After this many attempts, a notification stays in the menu but is no longer pushed (D-48). */
export const maxPushAttempts = 10;

type AttemptedPush = Attempted<DueNotification, "sent" | "refused" | NotSentReason>;

/** Pushes notifications until it is stopped (D-48). */
export function startPush({ transport, onAttempt, firstRetryMs = 5_000, ...context }: PushOptions): Loop {
  const { store, onError } = context;
  return startDispatcher<DueNotification, AttemptedPush["result"]>({
    ...context,
    queue: pushQueue,
    maxInFlight: capacity,
    load: (claimed) => loadNotifications(store, claimed),
    async attempt({ platform, token, attempts: _, trace, ...content }) {
      const { deviceId: id, workerId } = content;
      // Null if the worker had no device, or has removed it since.
      if (id === null || platform === null) return "no_device";
      const push = async () => {
        try {
          return (await transport.send({ id, workerId, platform, token }, content)) ?? "sent";
        } catch (error) {
          onError(error);
          return "refused";
        }
      };
      const toSpanAttributes = (result: string) => (result === "refused" ? { "error.type": result } : {});
      return traceAttempt(
        "push notification",
        trace,
        { "offers.notification.reason": content.reason },
        push,
        toSpanAttributes,
      );
    },
    async settle(trx, attempted) {
      await settlePushes(trx, attempted, firstRetryMs);
      return () => {
        for (const push of attempted) onAttempt?.(toRecord(push));
      };
    },
  });
}

function toRecord({ row, result }: AttemptedPush): PushRecord {
  const { id: notificationId, offerId, platform, reason, attempts } = row;
  const record = { notificationId, offerId, platform, reason, number: attempts + 1 };
  if (result === "sent") return { ...record, outcome: result };
  if (result !== "refused") return { ...record, outcome: "not_sent", because: result };
  return { ...record, outcome: record.number < maxPushAttempts ? "retry" : "failed" };
}

/** Stores the outcomes of attempts. Schedules a retry if the push was refused, unless it was superseded or has used all of its attempts. */
async function settlePushes(trx: Trx, attemptedPushes: readonly AttemptedPush[], firstRetryMs: number): Promise<void> {
  const outcomes = attemptedPushes.map(({ row: { id, attempts }, result }) => ({
    id,
    isSent: result === "sent",
    retryInMs: result !== "refused" || attempts + 1 >= maxPushAttempts ? null : firstRetryMs * 2 ** attempts,
  }));
  const outcome = sql`json_to_recordset(${JSON.stringify(outcomes)}::text::json)
    as outcome (id bigint, "isSent" boolean, "retryInMs" float8)`;
  // A push that was superseded during its attempt is not retried: its `due_at` is null or, for a decision, a newer push waits for it. To
  // prevent deadlocks, rows are locked in the same order as in `supersedePushes`.
  await sql`
    with locked as materialized (
      select id from notifications where id = any (array(select outcome.id from ${outcome})) order by id for update
    )
    update notifications set
      attempts = attempts + 1,
      sent_at = case when "isSent" then now() end,
      due_at = case when due_at is not null and not exists (
        select from notifications as newer where newer.id > notifications.id and ${isForSameDevice("newer", "notifications")}
      ) then now() + "retryInMs" * interval '1 ms' end
    from ${outcome} join locked on locked.id = outcome.id
    where notifications.id = locked.id`.execute(trx);
}

/** A SQL condition: whether two notifications are about the same offer and for the same device. */
const isForSameDevice = (one: string, other: string) =>
  sql<boolean>`(${sql.ref(`${one}.offer_id`)} = ${sql.ref(`${other}.offer_id`)}
    and ${sql.ref(`${one}.worker_id`)} = ${sql.ref(`${other}.worker_id`)}
    and ${sql.ref(`${one}.device_id`)} is not distinct from ${sql.ref(`${other}.device_id`)})`;

/**
 * The queue of notifications, with one lane per offer, so that an offer to thousands of workers does not delay other offers. A push
 * waits until the previous push about the same offer to the same device is sent, refused or superseded (D-99).
 */
export const pushQueue: OutboxQueue = {
  name: "pushes",
  wokenBy: ["notification"],
  table: "notifications",
  id: "id",
  lane: "offer_id",
  laneState: alwaysOpen(capacity),
  isBlocked: sql`head.reason <> 'offer' and exists (
    select from notifications as earlier where earlier.id < head.id and ${isForSameDevice("earlier", "head")} and (
      earlier.due_at is not null
      or exists (select from outbox_leases where queue = 'pushes' and row_id = earlier.id)))`,
};

/** A due notification and everything that the transport needs. */
type DueNotification = Awaited<ReturnType<typeof readDueNotifications>>[number];

/** Loads claimed notifications, except those that have been superseded since the claim. */
async function loadNotifications(store: Store, leases: readonly Lease[]): Promise<Map<number, DueNotification>> {
  const ids = leases.map(({ rowId }) => rowId);
  const rows = await readDueNotifications(store, ids);
  return new Map(rows.map((row) => [row.id, row]));
}

const readDueNotifications = (store: Store, ids: readonly number[]) =>
  store.db
    .selectFrom("notifications")
    .innerJoin("offers", "offers.id", "notifications.offer_id")
    .innerJoin("workers", "workers.id", "notifications.worker_id")
    .leftJoin("devices", "devices.id", "notifications.device_id")
    .select([
      "notifications.id",
      "notifications.worker_id as workerId",
      "notifications.device_id as deviceId",
      "devices.platform",
      "devices.token",
      "notifications.offer_id as offerId",
      "offers.title as offerTitle",
      "offers.events",
      placeName.as("place"),
      "workers.time_zone as timeZone",
      "notifications.reason",
      "notifications.created_at as createdAt",
      "notifications.attempts",
      "offers.trace",
    ])
    .where(sql<boolean>`notifications.id = any (array(
      select json_array_elements_text(${JSON.stringify(ids)}::text::json)::int8))`)
    .where("notifications.due_at", "is not", null)
    .execute();
