import { sql } from "kysely";
import type { PortalDeps } from "../person/portal-deps.ts";

/** What was attempted in one stretch of time. */
export interface Stretch {
  startsAt: Date;
  attempts: number;
  /** Those that were no acknowledgement. */
  failed: number;
  /** Half of the events that were acknowledged then had waited for no longer; null when none was. */
  medianLagMs: number | null;
  slowestLagMs: number | null;
}

export interface Measured {
  stretches: Stretch[];
  /** Of all stretches together. */
  whole: Omit<Stretch, "startsAt">;
}

interface Row extends Omit<Stretch, "startsAt"> {
  stretch: number | null;
}

/** How well the organisation's endpoint was reached during `lastMs`, in `count` stretches of equal length, oldest first. */
export async function measureDeliveries(
  { store, now }: PortalDeps,
  organisationId: string,
  { lastMs, count }: { lastMs: number; count: number },
): Promise<Measured> {
  const stretchMs = lastMs / count;
  // Whole stretches, so that they do not shift under who looks.
  const endMs = Math.ceil((now().getTime() + 1) / stretchMs) * stretchMs;
  const startMs = endMs - lastMs;
  const { rows } = await sql<Row>`
    select
      stretch,
      count(*)::integer as "attempts",
      (count(*) filter (where error is not null))::integer as "failed",
      percentile_cont(0.5) within group (order by lag_ms) as "medianLagMs",
      max(lag_ms) as "slowestLagMs"
    from (
      select
        attempts.error,
        floor((extract(epoch from started_at) * 1000 - ${startMs}) / ${stretchMs})::integer as stretch,
        case when error is null then
          greatest(0, extract(epoch from started_at - events.created_at) * 1000 + duration_ms)::float8
        end as lag_ms
      from attempts
      join deliveries on deliveries.id = delivery_id
      join events on events.id = event_id
      where deliveries.organisation_id = ${organisationId}
        and started_at >= ${new Date(startMs)} and started_at < ${new Date(endMs)}
    ) as made
    group by grouping sets ((stretch), ())`.execute(store.db);
  const none = { attempts: 0, failed: 0, medianLagMs: null, slowestLagMs: null };
  const of = (stretch: number | null) => {
    const { stretch: _, ...measured } = rows.find((row) => row.stretch === stretch) ?? { stretch, ...none };
    return measured;
  };
  return {
    stretches: Array.from({ length: count }, (_, at) => ({
      startsAt: new Date(startMs + at * stretchMs),
      ...of(at),
    })),
    whole: of(null),
  };
}
