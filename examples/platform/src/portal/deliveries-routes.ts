import type { RequestHandler } from "express";
import { redeliver } from "../delivery/redeliver.ts";
import { pathParameter } from "../http/path-parameter.ts";
import { ProblemError } from "../problem/problem-error.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { signedInPerson } from "./signed-in-person.ts";

const limit = 100;

/** `GET /portal/deliveries`: the organisation's latest events for its endpoint, newest first, with every attempt. */
export const listDeliveriesRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const { organisationId } = await signedInPerson(deps, request);
    const deliveries = await deps.store.db
      .selectFrom("deliveries")
      .innerJoin("events", "events.id", "event_id")
      .select(["deliveries.id", "event_id as eventId", "type", "data", "state", "events.created_at as createdAt"])
      .select(({ eb }) =>
        eb.case().when("state", "=", "pending").then(eb.ref("next_attempt_at")).end().as("nextAttemptAt"),
      )
      .where("deliveries.organisation_id", "=", organisationId)
      .orderBy("sequence", "desc")
      .limit(limit)
      .execute();
    const attempts = await attemptsOf(
      deps,
      deliveries.map(({ id }) => id),
    );
    response.json({
      deliveries: deliveries.map((delivery) => ({ ...delivery, attempts: attempts.get(delivery.id) ?? [] })),
    });
  };

/** `POST /portal/deliveries/{id}/redeliver` */
export const redeliverRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const { organisationId } = await signedInPerson(deps, request);
    const id = pathParameter(request, "id");
    const delivery = await deps.store.db
      .selectFrom("deliveries")
      .select("state")
      .where("id", "=", id)
      .where("organisation_id", "=", organisationId)
      .executeTakeFirst();
    if (delivery === undefined)
      throw new ProblemError("delivery_not_found", "Your organisation has no delivery with this id.");
    const redelivery = await redeliver(deps, organisationId, id);
    if (redelivery === "not_dead")
      throw new ProblemError("delivery_not_dead", "Only a dead letter is redelivered; this one was not given up.");
    if (redelivery === "superseded")
      throw new ProblemError(
        "delivery_superseded",
        "A later response of the same worker to the same offer was delivered or is about to be; it must stay the last.",
      );
    deps.wake();
    response.status(204).end();
  };

/** The attempts of each delivery, in order. */
async function attemptsOf({ store }: PortalDeps, deliveryIds: string[]): Promise<Map<string, object[]>> {
  const byDelivery = new Map(deliveryIds.map((id): [string, object[]] => [id, []]));
  if (deliveryIds.length === 0) return byDelivery;
  const rows = await store.db
    .selectFrom("attempts")
    .select(["delivery_id", "number", "method", "path", "started_at as startedAt", "status", "error"])
    .select("duration_ms as milliseconds")
    .where("delivery_id", "in", deliveryIds)
    .orderBy("id")
    .execute();
  for (const { delivery_id: id, ...attempt } of rows) byDelivery.get(id)?.push(attempt);
  return byDelivery;
}
