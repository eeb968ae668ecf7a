import type { SettledEndpoint } from "./settle-health.ts";

/** What happened to an endpoint, for the log. */
export type EndpointRecord =
  | { organisationId: string; change: "paused"; consecutiveFailures: number; until: Date }
  | { organisationId: string; change: "resumed" }
  | { organisationId: string; change: "disabled"; because: string };

/** A line only for what stops or resumes deliveries; undefined for the rest. */
export function endpointRecord({ organisationId, before, after }: SettledEndpoint): EndpointRecord | undefined {
  const { disabledBecause, breakerOpenUntil: until, breakerPauses, consecutiveFailures } = after;
  if (disabledBecause !== null && before.disabledBecause === null)
    return { organisationId, change: "disabled", because: disabledBecause };
  if (until !== null && breakerPauses > before.breakerPauses)
    return { organisationId, change: "paused", consecutiveFailures, until };
  if (until === null && before.breakerOpenUntil !== null) return { organisationId, change: "resumed" };
  return undefined;
}
