import type { Store } from "../../../../examples/platform/src/store/store.ts";

/** A row that a process of the platform had under a lease. */
export interface LeaseRecord {
  queue: string;
  rowId: number;
  lane: string;
  /** The process. */
  holder: string;
  /** In milliseconds by the clock of this machine. */
  leasedAt: number;
  /** Infinity when the lease is still there. */
  endedAt: number;
  /** The process that ended the lease: the holder if it settled the row or gave it back. Null while the lease is still there. */
  endedBy: string | null;
}

/** Triggers record every lease, also one that begins and ends between two queries. */
const triggers = `
create table crash_test_leases (
  token bigint primary key, queue text not null, row_id bigint not null, lane text not null,
  holder text not null, leased_at timestamptz not null, ended_at timestamptz, ended_by text);
create index on crash_test_leases (queue, row_id);
create index on crash_test_leases (lane);
create function crash_test_lease_begins() returns trigger language plpgsql as $$ begin
  insert into crash_test_leases (token, queue, row_id, lane, holder, leased_at)
  values (new.token, new.queue, new.row_id, new.lane, current_setting('application_name'), clock_timestamp());
  return null;
end $$;
create function crash_test_lease_ends() returns trigger language plpgsql as $$ begin
  update crash_test_leases set ended_at = clock_timestamp(), ended_by = current_setting('application_name')
  where token = old.token;
  return null;
end $$;
create trigger crash_test_begins after insert on outbox_leases for each row execute function crash_test_lease_begins();
create trigger crash_test_ends after delete on outbox_leases for each row execute function crash_test_lease_ends();
`;

/** Creates the triggers. Call it before the first process of the platform opens the store. */
export async function keepLeaseHistory({ db, execute }: Store): Promise<void> {
  // PGlite's lane takes one statement at a time.
  for (const statement of triggers.split(/;\n(?=create|$)/)) if (statement.trim() !== "") await execute(statement);
  await db.selectFrom("outbox_leases").select("token").limit(1).execute();
}

/** All leases so far, in the order in which they were given. */
export async function readLeaseHistory({ execute }: Store): Promise<LeaseRecord[]> {
  const ms = (column: string): string => `extract(epoch from ${column})::float8 * 1000`;
  const askedAt = Date.now();
  const { rows: clock } = await execute(`select ${ms("clock_timestamp()")} as now`);
  const aheadMs = Number(clock[0]?.now) - (askedAt + Date.now()) / 2;
  const { rows } = await execute(`
    select queue, row_id::float8 as "rowId", lane, holder, ended_by as "endedBy",
      ${ms("leased_at")} as "leasedAt", ${ms("ended_at")} as "endedAt"
    from crash_test_leases order by token`);
  return rows.map((row) => {
    const { leasedAt, endedAt } = row as { leasedAt: number; endedAt: number | null };
    return {
      ...(row as unknown as LeaseRecord),
      leasedAt: leasedAt - aheadMs,
      endedAt: endedAt === null ? Number.POSITIVE_INFINITY : endedAt - aheadMs,
    };
  });
}

/** The items by key, in the order given. */
export function groupBy<T>(items: Iterable<T>, keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group) group.push(item);
    else groups.set(key, [item]);
  }
  return groups;
}
