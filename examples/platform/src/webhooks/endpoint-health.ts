import { type AttemptResult, classifyStatus, type EndpointHealth } from "@offers/contract/circuit-breaker";
import { isOptionalEvent } from "@offers/contract/optional-events";
import type { Updateable } from "kysely";
import type { EndpointTable, EventType } from "../store/tables.ts";
import type { Attempt } from "./attempt-delivery.ts";

/** Maps the fields of an endpoint's health to columns. */
export const healthColumns = {
  consecutiveFailures: "consecutive_failures",
  failingSince: "failing_since",
  lastFailedAt: "last_failed_at",
  openCount: "breaker_open_count",
  openUntil: "breaker_open_until",
  disabledAt: "disabled_at",
  disabledBecause: "disabled_because",
} as const satisfies Record<keyof EndpointHealth, keyof EndpointTable>;

export const healthFields = Object.keys(healthColumns) as (keyof EndpointHealth)[];

/** Converts an endpoint's health to column values. */
export const toHealthRow = (health: EndpointHealth): Updateable<EndpointTable> =>
  Object.fromEntries(healthFields.map((field) => [healthColumns[field], health[field]]));

/**
 * Classifies an attempt's effect on the endpoint's health: `inconclusive` if the event is optional (D-152), or if the platform itself
 * caused the failure.
 */
export function classifyAttempt(
  type: EventType,
  { status, failure }: Pick<Attempt, "status" | "failure">,
): AttemptResult {
  if (isOptionalEvent(type)) return "inconclusive";
  if (failure === undefined) return "acknowledged";
  if (failure === "internal_error" || failure === "request_too_large" || failure === "aborted") return "inconclusive";
  return classifyStatus(status);
}

/** A log record for a change in an endpoint's state that stops or resumes deliveries. */
export type EndpointRecord =
  | { organisationId: string; change: "paused"; consecutiveFailures: number; until: Date }
  | { organisationId: string; change: "resumed" }
  | { organisationId: string; change: "disabled"; because: string };

/** Creates a log record. @returns undefined if the change neither stops nor resumes deliveries */
export function createEndpointRecord({
  organisationId,
  before,
  after,
}: {
  organisationId: string;
  before: EndpointHealth;
  after: EndpointHealth;
}): EndpointRecord | undefined {
  const { disabledBecause: because, openUntil: until } = after;
  if (because !== null && before.disabledBecause === null) return { organisationId, change: "disabled", because };
  if (until !== null && after.openCount > before.openCount)
    return { organisationId, change: "paused", consecutiveFailures: after.consecutiveFailures, until };
  if (until === null && before.openUntil !== null) return { organisationId, change: "resumed" };
  return undefined;
}
