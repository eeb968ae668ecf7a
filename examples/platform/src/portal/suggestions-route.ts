import type { RequestHandler } from "express";
import { z } from "zod";
import { nullAsAbsent } from "../generated/received-values.ts";
import { parseBody } from "../http/parse-body.ts";
import { textField } from "../http/text-field.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { searchForPerson } from "./search-for-person.ts";
import { signedInPerson } from "./signed-in-person.ts";

/** What narrows a search. An empty search box narrows nothing. */
export const filterField = z.literal("").or(textField).optional();

const searchSchema = nullAsAbsent(z.strictObject({ filter: filterField }));

/** `POST /portal/suggestions/search` */
export const searchSuggestionsRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const { filter } = parseBody(searchSchema, await deps.readJson(request, response));
    response.json({ results: await searchForPerson(deps, person, filter) });
  };
