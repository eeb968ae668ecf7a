import { nullAsAbsent } from "@offers/contract/received-values";
import { sql } from "kysely";
import { z } from "zod";
import type { EndpointCheck } from "../../../endpoint-client/test-endpoint.ts";
import { instantField } from "../../../http/fields.ts";
import { ProblemError } from "../../../http/problem.ts";
import {
  type BlockedReason,
  type Redelivery,
  redeliver,
  redeliverAllInRange,
  retryAllNow,
  retryNow,
} from "../../../webhooks/redeliver.ts";
import { redeliverableStates } from "../../../webhooks/redelivery-tasks.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";
import { reenableEndpoint } from "../profile/reenable-endpoint.ts";

export const deliveryNotFound = (): ProblemError =>
  new ProblemError("delivery_not_found", "Your organisation has no delivery with this id.");

const problems: Record<Exclude<Redelivery["outcome"], "redelivered">, () => ProblemError> = {
  unknown: deliveryNotFound,
  waiting: () =>
    new ProblemError(
      "delivery_pending",
      "The delivery is still pending. To attempt it now, choose Retry now on its page, or send POST /portal/deliveries/{id}/retry.",
    ),
  superseded: () =>
    new ProblemError(
      "delivery_superseded",
      "A later response by the same worker to the same offer has superseded this delivery.",
    ),
  repeated: () =>
    new ProblemError(
      "delivery_superseded",
      "The delivery was already redelivered. Redeliver the later delivery instead.",
    ),
};

/**
 * Redelivers one delivery (D-74).
 *
 * @returns the id of the redelivery
 * @throws {ProblemError} `delivery_not_found`, `delivery_pending` or `delivery_superseded`
 */
export async function redeliverOne(
  deps: Pick<PortalDeps, "store">,
  { organisationId }: Pick<SignedInPerson, "organisationId">,
  deliveryId: string,
): Promise<{ id: string }> {
  const redelivery = await redeliver(deps.store, organisationId, deliveryId);
  if (redelivery.outcome !== "redelivered") throw problems[redelivery.outcome]();
  return { id: redelivery.id };
}

export const redeliveryRangeSchema = nullAsAbsent(
  z.strictObject({
    since: instantField,
    until: instantField.optional(),
    state: z.enum([...redeliverableStates, "all"]).default("dead"),
  }),
);

/** Redelivers the events in a time range that have the state, or all events that are no longer pending. */
export async function redeliverRange(
  deps: Pick<PortalDeps, "store">,
  { organisationId }: Pick<SignedInPerson, "organisationId">,
  { state, ...range }: z.infer<typeof redeliveryRangeSchema>,
) {
  return redeliverAllInRange(deps.store, organisationId, {
    ...range,
    states: state === "all" ? redeliverableStates : [state],
  });
}

const noAttemptProblems: Record<BlockedReason, () => ProblemError> = {
  no_endpoint: () => new ProblemError("profile_missing", "Save a base URL and a secret in the company profile first."),
  disabled: () =>
    new ProblemError(
      "endpoint_disabled",
      "The endpoint is disabled. Send POST /portal/deliveries/retry to check and enable it, and to retry all of its deliveries.",
    ),
};

/**
 * Attempts a pending delivery now instead of when it is due (D-130).
 *
 * @returns the id of the delivery that is attempted: this delivery, or the earlier delivery that it waits for
 * @throws {ProblemError} `delivery_not_found`, `delivery_settled`, `endpoint_disabled` or `profile_missing`
 */
export async function retryOne(
  deps: PortalDeps,
  { organisationId }: SignedInPerson,
  deliveryId: string,
): Promise<{ id: string }> {
  const retry = await retryNow(deps.store, organisationId, deliveryId, deps.now());
  switch (retry.outcome) {
    case "retried":
      return { id: retry.id };
    case "unknown":
      throw deliveryNotFound();
    case "settled":
      throw new ProblemError("delivery_settled", "The delivery is no longer pending. Redeliver it instead.");
    default:
      throw noAttemptProblems[retry.outcome]();
  }
}

/**
 * Attempts all pending deliveries now, in order (D-130). If the endpoint is disabled, first runs both checks, and enables it if they pass.
 *
 * @returns how many deliveries were pending, and the results of the endpoint checks, if they ran
 * @throws {ProblemError} `profile_missing`, or `endpoint_check_failed` with the checks
 */
export async function retryAll(
  deps: PortalDeps,
  user: SignedInPerson,
): Promise<{ pending: number; checks: EndpointCheck[] }> {
  const { organisationId } = user;
  const { count } = await deps.store.db
    .selectFrom("deliveries")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("organisation_id", "=", organisationId)
    .where("state", "=", sql.lit("pending" as const))
    .executeTakeFirstOrThrow();
  const blockedReason = await retryAllNow(deps.store, organisationId, deps.now());
  if (blockedReason === "no_endpoint") throw noAttemptProblems.no_endpoint();
  const checks = blockedReason === "disabled" ? await reenableEndpoint(deps, user) : [];
  return { pending: Number(count), checks };
}
