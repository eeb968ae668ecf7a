import type { RequestHandler } from "express";
import { z } from "zod";
import { nullAsAbsent } from "../../generated/received-values.ts";
import { parseBody } from "../../validation/parse-body.ts";
import { textField } from "../../validation/text-field.ts";
import type { PortalDeps } from "../person/portal-deps.ts";
import { signedInPerson } from "../person/signed-in-person.ts";
import { searchForPerson } from "./search-for-person.ts";
import { suggestingOrganisations } from "./suggesting-organisations.ts";

/** A search; an empty filter has no effect. */
export const searchSchema = nullAsAbsent(
  z.strictObject({
    organisationIds: z.array(textField).min(1).max(1_000),
    filter: z.literal("").or(textField).optional(),
  }),
);

/** `POST /portal/suggestions/search` */
export const searchSuggestionsRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const search = parseBody(searchSchema, await deps.readJson(request, response));
    response.json({ results: await searchForPerson(deps, person, search) });
  };

/** `GET /portal/suggestions/organisations`: organisations that a search can call. */
export const suggestingOrganisationsRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    response.json({ organisations: await suggestingOrganisations(deps, person) });
  };
