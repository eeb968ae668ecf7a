import type { UpdatedEndpoint } from "./update-endpoint-health.ts";

/** What happened to an endpoint, for the log. */
export type EndpointRecord =
  | { organisationId: string; change: "paused"; consecutiveFailures: number; until: Date }
  | { organisationId: string; change: "resumed" }
  | { organisationId: string; change: "disabled"; because: string };

/** A line only for what stops or resumes deliveries; undefined for the rest. */
export function endpointRecord({ organisationId, before, after }: UpdatedEndpoint): EndpointRecord | undefined {
  const { disabled_because: because, breaker_open_until: until } = after;
  if (because !== null && before.disabled_because === null) return { organisationId, change: "disabled", because };
  if (until !== null && after.breaker_open_count > before.breaker_open_count)
    return { organisationId, change: "paused", consecutiveFailures: after.consecutive_failures, until };
  if (until === null && before.breaker_open_until !== null) return { organisationId, change: "resumed" };
  return undefined;
}
