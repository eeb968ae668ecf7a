import type { Store } from "../../../../examples/platform/src/store/store.ts";
import type { LeaseRecord } from "./lease-history.ts";
import { groupBy } from "./lease-history.ts";

/** A process that was killed, or stopped for a while. */
export interface Interruption {
  process: string;
  /** By the clock of this machine, in milliseconds. */
  at: number;
  /** Absent when it was killed. */
  stalledMs?: number;
}

/** By the clock of this machine, in milliseconds. */
export interface TimeSpan {
  from: number;
  to: number;
}

/** The verdict of the store on a run. */
export interface StoreVerdict {
  /** Rows that are left to do: deliveries of endpoints that are enabled, pushes, mails. */
  pending: number;
  /** The count of each kind, as text. */
  pendingKinds: string[];
  /** Attempts that were stored by a process whose lease on the row was gone. */
  unleased: number;
  /** The most deliveries of one endpoint that were under a lease at once. */
  leasedAtOnce: number;
  /** The shortest first. */
  takeovers: Takeover[];
}

/** Of the rows that a process had under lease when it was killed or stopped. */
export interface Takeover {
  /** Until the last of them was leased again, in milliseconds. */
  ms: number;
  /** A description of that row, and when it was free. */
  last: string;
}

/** At one endpoint at a time, over all processes. */
export const perEndpoint = 8;

/** How long others wait for the locks of a process that stands still in the middle of a transaction (`standstillEnds`). */
const lockedMs = 2_000;

/** What is left of a lease of 4 s that is renewed each second. */
const leastLeaseMs = 3_000;

/** Rows that are not done yet. */
export async function countPending({ execute }: Store): Promise<Map<string, number>> {
  const { rows } = await execute(`
    select 'deliveries' as kind, count(*)::int as rows from deliveries join endpoints using (organisation_id)
    where state = 'pending' and disabled_at is null
    union all select 'notifications', count(*)::int from notifications where due_at is not null
    union all select 'mails', count(*)::int from mails where due_at is not null`);
  return new Map(rows.map(({ kind, rows: count }) => [String(kind), Number(count)]));
}

/** Describes the oldest pending delivery of each order key: why it is not attempted. */
export async function explainPending({ execute }: Store): Promise<string[]> {
  const { rows } = await execute(`
    select count(*)::int as heads, organisation_id, why, min(sequence) as first from (
      select distinct on (organisation_id, order_key) organisation_id, sequence,
        case when holder is not null then 'leased to ' || holder || ' since ' || leased_at
          when due_at is null then 'not due'
          when due_at > now() then 'due later' else 'due, and ' || (
            select count(*) from outbox_wakeups where queue = 'webhooks' and lane = organisation_id) || ' wake-ups' end as why
      from deliveries left join crash_test_leases on queue = 'webhooks' and row_id = sequence and ended_at is null
      where state = 'pending'
      order by organisation_id, order_key, sequence
    ) as head
    group by organisation_id, why order by first limit 10`);
  return rows.map(
    ({ heads, organisation_id, why, first }) => `${organisation_id}: ${heads} first in order ${why} (${first})`,
  );
}

/**
 * Counts attempts that were stored in spite of the fencing token: an attempt is stored in the transaction that ends its lease,
 * so a holder must have ended as many leases of a row as the row has attempts.
 */
export async function countUnleased({ execute }: Store): Promise<number> {
  const { rows } = await execute(`
    select coalesce(sum(greatest(0, made - ended)), 0)::int as unleased from (
      select (select count(*) from attempts where delivery_id = deliveries.id) as made,
        (select count(*) from crash_test_leases
        where queue = 'webhooks' and row_id = deliveries.sequence and ended_by = holder) as ended
      from deliveries
    ) as each`);
  return Number(rows[0]?.unleased);
}

/** The most rows of one lane of a queue that were under a lease at once. */
export function mostAtOnce(leases: readonly LeaseRecord[], queue: string): number {
  const counts = new Map<string, number>();
  const changes = leases
    .filter((lease) => lease.queue === queue)
    .flatMap(({ lane, leasedAt, endedAt }) => [
      { lane, at: leasedAt, by: 1 },
      { lane, at: endedAt, by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by);
  let most = 0;
  for (const { lane, by } of changes) {
    const count = (counts.get(lane) ?? 0) + by;
    counts.set(lane, count);
    most = Math.max(most, count);
  }
  return most;
}

/**
 * For each process that was killed or stopped: the time until the last row that it had leased was leased again, or was free if
 * its endpoint was at its limit. A takeover is left out if, when the lease could have ended, no process was at work, or a
 * stopped process may have held locks.
 *
 * @param outages when no process was at work, or no database
 */
export function takeoversOf(
  leases: readonly LeaseRecord[],
  interruptions: readonly Interruption[],
  outages: readonly TimeSpan[],
): Takeover[] {
  const byRow = groupBy(leases, rowOf);
  const byLane = groupBy(leases, laneOf);
  const takenAt = (lease: LeaseRecord): number => {
    const next = byRow.get(rowOf(lease))?.find(({ leasedAt }) => leasedAt > lease.endedAt);
    if (next === undefined) return lease.endedAt;
    const others = byLane.get(laneOf(lease)) ?? [];
    const begun = others.map(({ leasedAt }) => leasedAt).filter((at) => at > lease.endedAt && at < next.leasedAt);
    const wasFull = [lease.endedAt, ...begun].some(
      (at) => others.filter((other) => isLeasedAt(other, at)).length >= perEndpoint,
    );
    return wasFull ? lease.endedAt : next.leasedAt;
  };
  const locked = interruptions.flatMap(({ at, stalledMs }) =>
    stalledMs === undefined ? [] : [{ from: at, to: at + lockedMs }],
  );
  const hindrances = [...outages, ...locked];
  const measured = interruptions.flatMap(({ process, at, stalledMs }): Takeover[] => {
    // What had begun to be settled is settled; what a process does when it goes on is its own takeover.
    const goesOnAt = at + (stalledMs ?? Number.POSITIVE_INFINITY);
    const [last] = leases
      .filter((lease) => lease.holder === process && isLeasedAt(lease, at))
      .filter((lease) => lease.endedBy !== process || lease.endedAt >= goesOnAt)
      .map((lease) => ({ lease, until: takenAt(lease) }))
      .sort((a, b) => b.until - a.until);
    if (last === undefined || hindrances.some(({ from, to }) => from < last.until && to > at + leastLeaseMs)) return [];
    const { lease, until } = last;
    const freed = `${rowOf(lease)} of ${lease.lane} of a process ${stalledMs === undefined ? "killed" : "stopped"}`;
    return [{ ms: until - at, last: `${freed} was free after ${Math.round(lease.endedAt - at)} ms` }];
  });
  return measured.sort((a, b) => a.ms - b.ms);
}

const rowOf = ({ queue, rowId }: LeaseRecord): string => `${queue} ${rowId}`;
const laneOf = ({ queue, lane }: LeaseRecord): string => `${queue} ${lane}`;
const isLeasedAt = ({ leasedAt, endedAt }: LeaseRecord, at: number): boolean => leasedAt <= at && endedAt > at;
