import { z } from "zod";
import { type Redelivery, redeliver } from "../../dispatch/webhooks/redeliver.ts";
import { redeliverMany } from "../../dispatch/webhooks/redeliver-many.ts";
import { nullAsAbsent } from "../../generated/received-values.ts";
import { instantField } from "../../http/instant-field.ts";
import { ProblemError } from "../../http/problem-error.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";

export const deliveryNotFound = (): ProblemError =>
  new ProblemError("delivery_not_found", "Your organisation has no delivery with this id.");

const problems: Record<Exclude<Redelivery["outcome"], "redelivered">, () => ProblemError> = {
  unknown: deliveryNotFound,
  waiting: () => new ProblemError("delivery_pending", "The delivery is still pending."),
  superseded: () =>
    new ProblemError("delivery_superseded", "A later response of the same worker to the same offer superseded it."),
  repeated: () =>
    new ProblemError("delivery_superseded", "It was already redelivered. Redeliver that delivery instead."),
};

/**
 * Redelivers one delivery (D-74).
 *
 * @returns the id of the redelivery
 * @throws {ProblemError} `delivery_not_found`, `delivery_pending` or `delivery_superseded`
 */
export async function redeliverOne(
  deps: PortalDeps,
  { organisationId }: SignedInPerson,
  id: string,
): Promise<{ id: string }> {
  const redelivery = await redeliver(deps.store, organisationId, id);
  if (redelivery.outcome !== "redelivered") throw problems[redelivery.outcome]();
  deps.signals.publish({ topic: "delivery", organisationId });
  return { id: redelivery.id };
}

export const redeliveryRangeSchema = nullAsAbsent(
  z.strictObject({
    since: instantField,
    until: instantField.optional(),
    state: z.enum(["dead", "acknowledged", "all"]).default("dead"),
  }),
);

const statesOf = { dead: ["dead"], acknowledged: ["acknowledged"], all: ["dead", "acknowledged"] } as const;

/** Redelivers all failed, acknowledged or settled events of a time range. */
export async function redeliverRange(
  deps: PortalDeps,
  { organisationId }: SignedInPerson,
  { state, ...range }: z.infer<typeof redeliveryRangeSchema>,
) {
  const counts = await redeliverMany(deps.store, organisationId, { ...range, states: statesOf[state] });
  deps.signals.publish({ topic: "delivery", organisationId });
  return counts;
}
