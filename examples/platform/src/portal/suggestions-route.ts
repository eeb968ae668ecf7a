import type { RequestHandler } from "express";
import { z } from "zod";
import { parseBody } from "../http/parse-body.ts";
import { textField } from "../http/text-field.ts";
import { searchAll } from "../suggestions/search-all.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { emailAddressesOf, signedInPerson } from "./signed-in-person.ts";

// An empty search box narrows nothing.
const searchSchema = z.strictObject({ filter: z.literal("").or(textField).optional() });

/** `POST /portal/suggestions/search` */
export const searchSuggestionsRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const { filter } = parseBody(searchSchema, await deps.readJson(request, response));
    const userEmailAddresses = await emailAddressesOf(deps, person);
    const results = await searchAll(deps, { userEmailAddresses, ...(filter && { filter }) });
    response.json({ results });
  };
