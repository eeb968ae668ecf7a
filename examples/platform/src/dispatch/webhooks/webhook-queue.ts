import { sql } from "kysely";
import type { LaneState, OutboxQueue } from "../outbox/outbox-queue.ts";

/** At one endpoint at a time, over all processes. */
const perEndpoint = 8;

/**
 * The deliveries as a queue, one lane for each endpoint. Closed while the endpoint is disabled (D-73) or removed (D-120), or its circuit breaker is
 * open; then one attempt, the probe, closes or opens the breaker (D-72).
 */
export const webhooks = (now: () => Date): OutboxQueue => ({
  ...{ name: "webhooks", table: "deliveries", id: "sequence", lane: "organisation_id", capacity: perEndpoint },
  laneState(lane) {
    // The breaker's time is of our clock, the queue's of the database's: only their differences meet.
    const at = sql`${now()}::timestamptz`;
    return sql<LaneState>`
      select
        case when organisation_id is null or disabled_at is not null then 0 when breaker_open_until is null then ${sql.lit(perEndpoint)} else 1 end
          as capacity,
        case when disabled_at is null and breaker_open_until > ${at}
          then (extract(epoch from breaker_open_until - ${at}) * 1000)::float8 end as "opensInMs"
      from (values (${lane})) as lane (id) left join endpoints on organisation_id = lane.id`;
  },
});
