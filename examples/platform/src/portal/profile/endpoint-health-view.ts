import type { Selectable } from "kysely";
import type { EndpointTable } from "../../store/tables.ts";

type Health = Pick<
  Selectable<EndpointTable>,
  "failing_since" | "breaker_open_until" | "disabled_at" | "disabled_because"
>;

/**
 * How an endpoint is, for the profile (D-72, D-73).
 *
 * @param pending deliveries that wait; while the endpoint is disabled, for it to be enabled
 */
export function endpointHealthView(endpoint: Health, pending: number, now: Date) {
  const { failing_since: failingSince, breaker_open_until: openUntil, disabled_at: disabledAt } = endpoint;
  return {
    failingSince: failingSince?.toISOString() ?? null,
    /** Nothing is attempted before. */
    pausedUntil: disabledAt === null && openUntil !== null && openUntil > now ? openUntil.toISOString() : null,
    disabledAt: disabledAt?.toISOString() ?? null,
    disabledBecause: endpoint.disabled_because,
    held: disabledAt === null ? 0 : pending,
  };
}
