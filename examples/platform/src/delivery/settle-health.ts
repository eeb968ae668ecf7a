import { sql } from "kysely";
import type { Attempted } from "../outbox/start-dispatcher.ts";
import type { Trx } from "../store/store.ts";
import type { Attempt } from "./attempt-delivery.ts";
import type { BreakerPolicy } from "./breaker-policy.ts";
import { afterAttempt, type EndpointHealth, verdictOf } from "./endpoint-health.ts";
import type { PendingDelivery } from "./load-deliveries.ts";

type MadeAttempts = readonly Attempted<PendingDelivery, Attempt>[];

export interface HealthContext {
  breaker: BreakerPolicy;
  now: () => Date;
  random: () => number;
}

/** An endpoint that a group of attempts concerned, and what they made of it. */
export interface SettledEndpoint {
  organisationId: string;
  /** Another one than an attempt was made with: the profile was changed meanwhile. */
  sealedSecret: string;
  before: EndpointHealth;
  after: EndpointHealth;
}

/**
 * Writes what a group of attempts says about their endpoints (D-72), and locks those endpoints until the end of the
 * transaction. An acknowledgement of an endpoint that is well writes nothing, nor does what came of a profile that is no more.
 *
 * Take this lock before any of deliveries, as everybody does: else two transactions may wait for each other.
 */
export async function settleHealth(
  trx: Trx,
  { breaker, now, random }: HealthContext,
  made: MadeAttempts,
): Promise<SettledEndpoint[]> {
  const at = now();
  const settled = (await lockEndpoints(trx, made)).map(({ organisationId, sealedSecret, ...before }) => {
    const after = made
      .filter(({ row }) => row.organisation_id === organisationId && row.sealed_secret === sealedSecret)
      .reduce<EndpointHealth>((health, { row, result: attempt }) => {
        const isProbe = row.breaker_open_until !== null;
        const judged = { verdict: verdictOf(attempt), isProbe, retryAfterMs: attempt.retryAfterMs, at };
        return afterAttempt(health, judged, breaker, random());
      }, before);
    return { organisationId, sealedSecret, before, after };
  });
  await writeHealth(trx, settled);
  return settled;
}

/** Those that failed, and those that had failed before they acknowledged. */
async function lockEndpoints(trx: Trx, made: MadeAttempts) {
  const failed = new Map<string, boolean>();
  for (const { row, result } of made) {
    const hasFailed = verdictOf(result) !== "acknowledged";
    failed.set(row.organisation_id, hasFailed || failed.get(row.organisation_id) === true);
  }
  const touched = [...failed].map(([id, hasFailed]) => ({ id, failed: hasFailed }));
  const { rows } = await sql<EndpointHealth & { organisationId: string; sealedSecret: string }>`
    select organisation_id as "organisationId", sealed_secret as "sealedSecret",
      consecutive_failures as "consecutiveFailures", failing_since as "failingSince", last_failed_at as "lastFailedAt",
      breaker_pauses as "breakerPauses", breaker_open_until as "breakerOpenUntil",
      disabled_at as "disabledAt", disabled_because as "disabledBecause"
    from endpoints
    join json_to_recordset(${JSON.stringify(touched)}::text::json) as touched (id text, failed boolean)
      on touched.id = organisation_id
    where failed or consecutive_failures > 0 or failing_since is not null or breaker_open_until is not null
    order by organisation_id
    for update of endpoints`.execute(trx);
  return rows;
}

async function writeHealth(trx: Trx, settled: readonly SettledEndpoint[]): Promise<void> {
  const changed = settled
    .filter(({ before, after }) => after !== before)
    .map(({ organisationId, after }) => ({ organisationId, ...after }));
  if (changed.length === 0) return;
  await sql`
    update endpoints set
      consecutive_failures = changed."consecutiveFailures",
      failing_since = changed."failingSince",
      last_failed_at = changed."lastFailedAt",
      breaker_pauses = changed."breakerPauses",
      breaker_open_until = changed."breakerOpenUntil",
      disabled_at = changed."disabledAt",
      disabled_because = changed."disabledBecause"
    from json_to_recordset(${JSON.stringify(changed)}::text::json) as changed (
      "organisationId" text, "consecutiveFailures" integer, "failingSince" timestamptz,
      "lastFailedAt" timestamptz, "breakerPauses" integer,
      "breakerOpenUntil" timestamptz, "disabledAt" timestamptz, "disabledBecause" text)
    where endpoints.organisation_id = changed."organisationId"`.execute(trx);
}
