import type { CompletedAttempt } from "./record-attempts.ts";

/** One line per attempt for the log. Ids and templates only: no secret, no payload, no person (D-49). */
export type AttemptRecord = ReturnType<typeof attemptRecord>;

export function attemptRecord({ delivery, attempt, outcome, nextAttemptAt }: CompletedAttempt) {
  const { number, method, path, status, failure, durationMs } = attempt;
  return {
    deliveryId: delivery.id,
    eventId: delivery.event_id,
    organisationId: delivery.organisation_id,
    type: delivery.type,
    number,
    method,
    path,
    ...(status !== undefined && { status }),
    ...(failure !== undefined && { failure }),
    durationMs,
    outcome,
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
  };
}
