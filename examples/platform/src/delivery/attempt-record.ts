import type { Attempt } from "./attempt-delivery.ts";
import type { MadeAttempt } from "./settle-attempts.ts";

/** One line per attempt for the log. Ids and templates only: no secret, no payload, no person. */
export interface AttemptRecord {
  deliveryId: string;
  eventId: string;
  organisationId: string;
  type: "workerOfferResponse" | "workerAddedContact";
  number: number;
  method: Attempt["method"];
  path: string;
  status?: number;
  failure?: NonNullable<Attempt["failure"]>;
  durationMs: number;
  outcome: MadeAttempt["outcome"];
  nextAttemptAt?: Date;
}

export function attemptRecord({ delivery, attempt, outcome, nextAttemptAt }: MadeAttempt): AttemptRecord {
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
