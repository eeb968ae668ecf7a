import { sql } from "kysely";
import type { Store } from "../store/store.ts";
import type { ChangeSubject } from "../store/tables.ts";
import { type Mark, partsOfMark } from "./mark.ts";

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
  ageSeconds: number;
}

/** Shorter than changes are kept: clocks differ. */
const surelyKeptSeconds = 50 * 60;

const mark = sql<Mark>`pg_current_snapshot()::text || '@' || floor(extract(epoch from now()))::text`;

export async function markNow(store: Store): Promise<Mark> {
  const { rows } = await sql<{ mark: Mark }>`select ${mark} as mark`.execute(store.db);
  return rows[0]?.mark ?? "";
}

/**
 * What changed for these organisations since a mark, each thing once. One statement, so that the new mark fits.
 *
 * @throws {TypeError} at what is no mark
 */
export async function changesSince(store: Store, organisationIds: readonly string[], since: Mark): Promise<Seen> {
  const parts = partsOfMark(since);
  if (parts === undefined) throw new TypeError("not a mark");
  const snapshot = sql`${parts.snapshot}::text::pg_snapshot`;
  const { rows } = await sql<Row>`
    select distinct
      ${mark} as mark,
      (extract(epoch from now()) - ${parts.takenAtSeconds}::float8)::float8 as "ageSeconds",
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
    mark: first?.mark ?? since,
    isComplete: (first?.ageSeconds ?? 0) < surelyKeptSeconds,
  };
}
