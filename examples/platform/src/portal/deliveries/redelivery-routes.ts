import type { RequestHandler } from "express";
import { z } from "zod";
import { type Redelivery, redeliver } from "../../delivery/redeliver.ts";
import { redeliverMany } from "../../delivery/redeliver-many.ts";
import { nullAsAbsent } from "../../generated/received-values.ts";
import { pathParameter } from "../../http/path-parameter.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import { instantField } from "../../validation/instant-field.ts";
import { parseBody } from "../../validation/parse-body.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import { signedInPerson } from "../person/signed-in-person.ts";

/** `POST /portal/deliveries/{id}/redeliver`: responds with the id of the redelivery (D-74). */
export const redeliverRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const { organisationId } = await signedInPerson(deps, request);
    const redelivery = await redeliver(deps.store, organisationId, pathParameter(request, "id"));
    if (redelivery.outcome !== "redelivered") throw problems[redelivery.outcome]();
    deps.signals.publish({ topic: "delivery", organisationId });
    response.status(202).json({ id: redelivery.id });
  };

const problems: Record<Exclude<Redelivery["outcome"], "redelivered">, () => ProblemError> = {
  unknown: () => new ProblemError("delivery_not_found", "Your organisation has no delivery with this id."),
  waiting: () => new ProblemError("delivery_pending", "The delivery is still pending."),
  superseded: () =>
    new ProblemError("delivery_superseded", "A later response of the same worker to the same offer superseded it."),
  repeated: () =>
    new ProblemError("delivery_superseded", "It was redelivered as another delivery; redeliver that one."),
};

const rangeSchema = nullAsAbsent(
  z.strictObject({
    since: instantField,
    until: instantField.optional(),
    state: z.enum(["dead", "acknowledged", "all"]).default("dead"),
  }),
);

const statesOf = { dead: ["dead"], acknowledged: ["acknowledged"], all: ["dead", "acknowledged"] } as const;

/** `POST /portal/deliveries/redeliver`: redelivers all failed, acknowledged or settled events of a time range. */
export const redeliverManyRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const { organisationId } = await signedInPerson(deps, request);
    const { state, ...range } = parseBody(rangeSchema, await deps.readJson(request, response));
    const counts = await redeliverMany(deps.store, organisationId, { ...range, states: statesOf[state] });
    deps.signals.publish({ topic: "delivery", organisationId });
    response.status(202).json(counts);
  };
