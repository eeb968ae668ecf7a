import type { Selectable } from "kysely";
import type { EndpointTable } from "../../store/tables.ts";

type Health = Pick<
  Selectable<EndpointTable>,
  "failing_since" | "breaker_open_until" | "disabled_at" | "disabled_because"
>;

/**
 * The health of an endpoint, for the profile (D-72, D-73).
 *
 * @param pending number of pending deliveries, which are held while the endpoint is disabled
 */
export function endpointHealthView(endpoint: Health, pending: number, now: Date) {
  const { failing_since: failingSince, breaker_open_until: openUntil, disabled_at: disabledAt } = endpoint;
  return {
    failingSince: failingSince?.toISOString() ?? null,
    /** While the circuit breaker is open. */
    pausedUntil: disabledAt === null && openUntil !== null && openUntil > now ? openUntil.toISOString() : null,
    disabledAt: disabledAt?.toISOString() ?? null,
    disabledBecause: endpoint.disabled_because,
    held: disabledAt === null ? 0 : pending,
  };
}
