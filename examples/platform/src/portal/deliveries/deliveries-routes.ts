import type { RequestHandler } from "express";
import { z } from "zod";
import { isShownAs, shownState } from "../../delivery/shown-state.ts";
import { listFields, listParameters } from "../../lists/list-query.ts";
import { instantField } from "../../validation/instant-field.ts";
import { parseBody } from "../../validation/parse-body.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import { signedInPerson } from "../person/signed-in-person.ts";
import { attemptNumber, deliveriesCursor, deliveryKey } from "./read-deliveries.ts";

const filterSchema = z.strictObject({
  state: z.enum(["pending", "held", "acknowledged", "dead"]).optional(),
  /** Events created at this time or later. */
  since: instantField.optional(),
  ...listFields(deliveriesCursor),
});

/** `GET /portal/deliveries`: the organisation's latest events for its endpoint, newest first, with every attempt. */
export const listDeliveriesRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const { organisationId } = await signedInPerson(deps, request, [...listParameters, "state", "since"]);
    const { state, since, before, limit } = parseBody(filterSchema, { ...request.query });
    const read = await deps.store.db
      .selectFrom("deliveries")
      .innerJoin("events", "events.id", "event_id")
      .select(["deliveries.id", "sequence", "event_id as eventId", "type", "data"])
      .select(shownState.as("state"))
      .select(["redelivery_of as redeliveryOf", "events.created_at as createdAt"])
      .select("due_at as nextAttemptAt")
      .where("deliveries.organisation_id", "=", organisationId)
      .$if(state !== undefined, (query) => query.where(isShownAs(state ?? "pending")))
      .$if(since !== undefined, (query) => query.where("events.created_at", ">=", since ?? new Date()))
      .$if(before !== undefined, (query) => query.where("sequence", "<", before?.position ?? 0))
      .orderBy("sequence", "desc")
      .limit(limit + 1)
      .execute();
    const { rows, next } = deliveriesCursor.cut(read, limit, deliveryKey);
    const attempts = await attemptsOf(
      deps,
      rows.map(({ id }) => id),
    );
    const deliveries = rows.map(({ sequence: _, ...row }) => ({ ...row, attempts: attempts.get(row.id) ?? [] }));
    response.json({ deliveries, next });
  };

/** The attempts of each delivery, in order. */
async function attemptsOf({ store }: PortalDeps, deliveryIds: string[]): Promise<Map<string, object[]>> {
  const byDelivery = new Map(deliveryIds.map((id): [string, object[]] => [id, []]));
  if (deliveryIds.length === 0) return byDelivery;
  const rows = await store.db
    .selectFrom("attempts")
    .select(["delivery_id", attemptNumber, "method", "path", "started_at as startedAt", "status", "error"])
    .select("duration_ms as milliseconds")
    .where("delivery_id", "in", deliveryIds)
    .orderBy("id")
    .execute();
  for (const { delivery_id: id, ...attempt } of rows) byDelivery.get(id)?.push(attempt);
  return byDelivery;
}
