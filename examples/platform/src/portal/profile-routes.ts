import type { RequestHandler } from "express";
import { z } from "zod";
import { parseBody } from "../http/parse-body.ts";
import { lineField, textField } from "../http/text-field.ts";
import { type EndpointCheck, testEndpoint } from "../outbound/test-endpoint.ts";
import { ProblemError } from "../problem/problem-error.ts";
import { seal } from "../store/seal.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { type SignedInPerson, signedInPerson } from "./signed-in-person.ts";

const profileSchema = z.strictObject({
  baseAddress: textField,
  // Always given anew: else a changed address would collect signatures that its owner must not have.
  secret: lineField
    .min(16)
    // Both sides hash its text, and a copied blank is not seen.
    .refine((text) => text === text.trim(), "Remove the white space before or after it."),
  suggestsContacts: z.boolean(),
});

/** `GET /portal/profile` */
export const readProfileRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    response.json(await readProfile(deps, person));
  };

/** `PUT /portal/profile`: saved only when both checks were answered with exactly 200. */
export const saveProfileRoute =
  (deps: PortalDeps): RequestHandler =>
  async (request, response) => {
    const person = await signedInPerson(deps, request);
    const profile = parseBody(profileSchema, await deps.readJson(request, response));
    const { passed, checks } = await testEndpoint(deps.outbound, deps.sign, profile);
    if (!passed) {
      const detail = "Nothing was changed; see the reason of each check.";
      throw new ProblemError("endpoint_check_failed", detail, { extensions: { checks: checks.map(viewOf) } });
    }
    const values = {
      base_address: profile.baseAddress,
      sealed_secret: seal(profile.secret, deps.sealKey, person.organisationId),
      suggests_contacts: profile.suggestsContacts,
      updated_at: deps.now(),
    };
    await deps.store.db
      .insertInto("endpoints")
      .values({ organisation_id: person.organisationId, ...values })
      .onConflict((conflict) => conflict.column("organisation_id").doUpdateSet(values))
      .execute();
    deps.wake();
    response.json({ ...(await readProfile(deps, person)), checks: checks.map(viewOf) });
  };

/** The company profile as it may be shown: never with the secret. */
async function readProfile({ store }: PortalDeps, { organisationId, organisationName }: SignedInPerson) {
  const endpoint = await store.db
    .selectFrom("endpoints")
    .select(["base_address", "suggests_contacts", "updated_at"])
    .where("organisation_id", "=", organisationId)
    .executeTakeFirst();
  return {
    organisation: { id: organisationId, name: organisationName },
    baseAddress: endpoint?.base_address ?? null,
    suggestsContacts: endpoint?.suggests_contacts ?? false,
    savedAt: endpoint?.updated_at.toISOString() ?? null,
  };
}

const viewOf = ({ method, path, passed, status, failure, durationMs, reason }: EndpointCheck) => ({
  method,
  path,
  passed,
  status: status ?? null,
  failure: failure ?? null,
  milliseconds: durationMs,
  reason,
});
