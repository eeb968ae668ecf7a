import { sql } from "kysely";
import type { PortalDeps } from "../person.ts";

/** Statistics about the attempts in one interval. */
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
  /** The statistics for the whole period. */
  total: Omit<Bucket, "startsAt">;
}

interface Row extends Omit<Bucket, "startsAt"> {
  /** The index of the bucket; null for the whole period. */
  bucket: number | null;
}

/**
 * Reads statistics about the attempts to deliver to the organisation's endpoint, in `bucketCount` equal buckets, oldest first. Excludes
 * optional events that the endpoint does not implement (D-152), because they say nothing about its health.
 */
export async function readDeliveryStats(
  { store, now }: PortalDeps,
  organisationId: string,
  { periodMs, bucketCount }: { periodMs: number; bucketCount: number },
): Promise<DeliveryStats> {
  const bucketMs = periodMs / bucketCount;
  // Align the buckets to multiples of their length, so that a reload does not shift them. The last bucket includes the current time,
  // even if it starts at this time.
  const endMs = Math.ceil((now().getTime() + 1) / bucketMs) * bucketMs;
  const startMs = endMs - periodMs;
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
      where organisation_id = ${organisationId} and error is distinct from 'not_implemented'
        and started_at >= ${new Date(startMs)} and started_at < ${new Date(endMs)}
    ) as attempt
    group by grouping sets ((bucket), ())`.execute(store.db);
  const noAttempts: Row = { bucket: null, attempts: 0, failed: 0, medianLagMs: null, slowestLagMs: null };
  const statsFor = (bucket: number | null) => {
    const { bucket: _, ...stats } = rows.find((row) => row.bucket === bucket) ?? noAttempts;
    return stats;
  };
  return {
    buckets: Array.from({ length: bucketCount }, (_, index) => ({
      startsAt: new Date(startMs + index * bucketMs),
      ...statsFor(index),
    })),
    total: statsFor(null),
  };
}
