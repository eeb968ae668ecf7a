import type { RequestHandler } from "express";
import { jsonArrayFrom } from "kysely/helpers/postgres";
import { isHistoric } from "../offers/read-offer.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { signedInPerson } from "./signed-in-person.ts";

const limit = 100;

/** `GET /portal/offers`: the organisation's latest offers, newest first, with how many answered what. */
export const listOffersRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const { organisationId } = await signedInPerson(deps, request);
    const offers = await deps.store.db
      .selectFrom("offers")
      .select(["id", "title", "created_at", "ends_at", "completed_at", "withdrawn_at"])
      .select(({ selectFrom }) =>
        jsonArrayFrom(
          selectFrom("recipients")
            .select(({ fn }) => ["response", fn.countAll<number>().as("count")])
            .whereRef("offer_id", "=", "offers.id")
            .groupBy("response"),
        ).as("counts"),
      )
      .where("organisation_id", "=", organisationId)
      .orderBy("created_at", "desc")
      .orderBy("id")
      .limit(limit)
      .execute();
    const now = deps.now();
    const view = offers.map((offer) => ({
      id: offer.id,
      title: offer.title,
      createdAt: offer.created_at.toISOString(),
      isHistoric: isHistoric(offer.ends_at, now),
      complete: offer.completed_at !== null,
      widthdrawn: offer.withdrawn_at !== null,
      responses: {
        ...{ applied: 0, rejected: 0, none: 0 },
        ...Object.fromEntries(offer.counts.map(({ response, count }) => [response, count])),
      },
    }));
    response.json({ offers: view });
  };
