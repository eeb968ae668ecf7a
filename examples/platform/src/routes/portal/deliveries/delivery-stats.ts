import { sql } from "kysely";
import type { PortalDeps } from "../person.ts";

/** The attempts in one interval. */
export interface Bucket {
  startsAt: Date;
  attempts: number;
  /** The number of attempts that were not acknowledged. */
  failed: number;
  /** The median time from event to acknowledgement, in milliseconds; null if nothing was acknowledged. */
  medianLagMs: number | null;
  slowestLagMs: number | null;
}

export interface DeliveryStats {
  buckets: Bucket[];
  /** The sum of all buckets. */
  total: Omit<Bucket, "startsAt">;
}

interface Row extends Omit<Bucket, "startsAt"> {
  bucket: number | null;
}

/** Reads the attempts at the organisation's endpoint during the last `lastMs`, in `count` buckets of equal length, oldest first. */
export async function readDeliveryStats(
  { store, now }: PortalDeps,
  organisationId: string,
  { lastMs, count }: { lastMs: number; count: number },
): Promise<DeliveryStats> {
  const bucketMs = lastMs / count;
  // Align the buckets, so that a reload does not shift them.
  const endMs = Math.ceil((now().getTime() + 1) / bucketMs) * bucketMs;
  const startMs = endMs - lastMs;
  const { rows } = await sql<Row>`
    select
      bucket,
      count(*)::integer as "attempts",
      (count(*) filter (where error is not null))::integer as "failed",
      percentile_cont(0.5) within group (order by lag_ms) as "medianLagMs",
      max(lag_ms)::float8 as "slowestLagMs"
    from (
      select error, lag_ms, floor((extract(epoch from started_at) * 1000 - ${startMs}) / ${bucketMs})::integer as bucket
      from attempts
      where organisation_id = ${organisationId}
        and started_at >= ${new Date(startMs)} and started_at < ${new Date(endMs)}
    ) as made
    group by grouping sets ((bucket), ())`.execute(store.db);
  const none = { attempts: 0, failed: 0, medianLagMs: null, slowestLagMs: null };
  const of = (bucket: number | null) => {
    const { bucket: _, ...measured } = rows.find((row) => row.bucket === bucket) ?? { bucket, ...none };
    return measured;
  };
  return {
    buckets: Array.from({ length: count }, (_, at) => ({
      startsAt: new Date(startMs + at * bucketMs),
      ...of(at),
    })),
    total: of(null),
  };
}
