import { sql } from "kysely";
import type { Store } from "../store/store.ts";
import type { ChangeSubject } from "../store/tables.ts";
import type { Mark } from "./mark.ts";

export interface Change {
  organisationId: string;
  subject: ChangeSubject;
  subjectId: string;
}

export interface Seen {
  changes: readonly Change[];
  /** What to subscribe from, to go on after these. */
  mark: Mark;
  /** False when there may have been more, which are no longer kept. */
  isComplete: boolean;
}

interface Row extends Change {
  mark: Mark;
  first: string | null;
  since: string;
}

export async function markNow(store: Store): Promise<Mark> {
  const { rows } = await sql<{ mark: Mark }>`select pg_current_snapshot()::text as mark`.execute(store.db);
  return rows[0]?.mark ?? "";
}

/** What changed for these organisations since a mark, each thing once. One statement, so that the new mark fits. */
export async function changesSince(store: Store, organisationIds: readonly string[], mark: Mark): Promise<Seen> {
  const snapshot = sql`${mark}::text::pg_snapshot`;
  const { rows } = await sql<Row>`
    select distinct
      pg_current_snapshot()::text as mark,
      pg_snapshot_xmin(${snapshot})::text as since,
      (select xid::text from changes order by created_at limit 1) as first,
      organisation_id as "organisationId", subject, subject_id as "subjectId"
    from (select 1) as always
    left join changes
      on organisation_id in (${sql.join(organisationIds)})
      and xid >= pg_snapshot_xmin(${snapshot})
      and not pg_visible_in_snapshot(xid, ${snapshot})`.execute(store.db);
  const [first] = rows;
  return {
    changes: rows.flatMap(({ organisationId, subject, subjectId }) =>
      subject === null ? [] : [{ organisationId, subject, subjectId }],
    ),
    mark: first?.mark ?? mark,
    isComplete: first?.first === null || BigInt(first?.first ?? 0) <= BigInt(first?.since ?? 0),
  };
}
