import { type RawBuilder, sql } from "kysely";
import type { Trx } from "../../store/store.ts";
import type { Attempted } from "../outbox/start-dispatcher.ts";
import type { Attempt } from "./attempt/attempt-delivery.ts";
import type { PendingDelivery } from "./attempt/load-deliveries.ts";
import type { BreakerPolicy } from "./breaker-policy.ts";
import { classifyAttempt, type EndpointHealth, healthColumns, nextHealth } from "./endpoint-health.ts";

type CompletedAttempts = readonly Attempted<PendingDelivery, Attempt>[];

export interface HealthContext {
  breaker: BreakerPolicy;
  now: () => Date;
  random: () => number;
}

/** An endpoint that a group of attempts concerned, and what they made of it. */
export interface UpdatedEndpoint {
  organisationId: string;
  /** Another one than an attempt was made with: the profile was changed meanwhile. */
  encryptedSecret: string;
  before: EndpointHealth;
  after: EndpointHealth;
}

/** An endpoint's row, locked until the end of the transaction. */
export interface LockedEndpoint extends EndpointHealth {
  organisation_id: string;
  encrypted_secret: string;
}

/**
 * Writes what a group of attempts says about the health of their endpoints (D-72). It writes nothing for an acknowledgement by a
 * healthy endpoint, or for an attempt at a profile that has changed since.
 */
export async function updateEndpointHealth(
  trx: Trx,
  { breaker, now, random }: HealthContext,
  made: CompletedAttempts,
  locked: readonly LockedEndpoint[],
): Promise<UpdatedEndpoint[]> {
  const at = now();
  const settled = locked.map((before): UpdatedEndpoint => {
    const { organisation_id: organisationId, encrypted_secret: encryptedSecret } = before;
    const after = made
      .filter(({ row }) => row.organisation_id === organisationId && row.encrypted_secret === encryptedSecret)
      .reduce<EndpointHealth>((health, { row, result: attempt }) => {
        const isProbe = row.breaker_open_until !== null;
        const judged = { result: classifyAttempt(attempt), isProbe, retryAfterMs: attempt.retryAfterMs, at };
        return nextHealth(health, judged, breaker, random());
      }, before);
    return { organisationId, encryptedSecret, before, after };
  });
  await writeHealth(trx, settled);
  return settled;
}

/** In one statement: when many endpoints fail at once, a group of attempts changes a hundred. */
async function writeHealth(trx: Trx, settled: readonly UpdatedEndpoint[]): Promise<void> {
  const changed = settled.filter(({ before, after }) => after !== before).map(({ after }) => after);
  if (changed.length === 0) return;
  const columns = ["organisation_id", ...healthColumns];
  const values = healthColumns.map((name) => sql`${sql.ref(name)} = changed.${sql.ref(name)}`);
  await sql`
    update endpoints set ${sql.join(values)}
    from json_populate_recordset(null::endpoints, ${JSON.stringify(changed, columns)}::text::json) as changed
    where endpoints.organisation_id = changed.organisation_id`.execute(trx);
}

/**
 * Selects those that failed, and those that had failed before they acknowledged.
 *
 * Endpoints are locked before deliveries, by every transaction: two that lock in different orders deadlock.
 */
export function lockEndpoints(made: CompletedAttempts): RawBuilder<LockedEndpoint> {
  const failed = made.filter(({ result }) => classifyAttempt(result) !== "acknowledged");
  const ids = (of: CompletedAttempts) => {
    const distinct = JSON.stringify([...new Set(of.map(({ row }) => row.organisation_id))]);
    return sql`array(select json_array_elements_text(${distinct}::text::json))`;
  };
  return sql`
    select organisation_id, encrypted_secret, ${sql.join(healthColumns.map((name) => sql.ref(name)))} from endpoints
    where organisation_id = any (${ids(made)}) and (organisation_id = any (${ids(failed)})
      or consecutive_failures > 0 or failing_since is not null or breaker_open_until is not null)
    order by organisation_id
    for update`;
}
