import { nullAsAbsent } from "@offers/contract/received-values";
import { z } from "zod";
import type { EndpointCheck } from "../../../endpoint-client/test-endpoint.ts";
import { textField } from "../../../http/fields.ts";
import { invalidRequest } from "../../../http/problem.ts";
import { encrypt, matchesEncrypted } from "../../../store/encrypt.ts";
import type { EndpointScheme } from "../../../store/tables.ts";
import { enableEndpoint } from "../../../webhooks/disabled-endpoint.ts";
import { restartSchedules } from "../../../webhooks/redeliver.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";
import { checkEndpoint, checkSecretForScheme, secretField } from "./check-endpoint.ts";

export const profileSchema = nullAsAbsent(
  z.strictObject({
    baseAddress: textField,
    // Optional if only `suggestsContacts` changes. A new URL must not receive signatures made with a secret unknown to its owner.
    secret: secretField.optional(),
    scheme: z.enum(["timestampDigest", "timestampDigestAndStandardWebhooks"]).optional(),
    suggestsContacts: z.boolean(),
  }),
);

type Profile = z.infer<typeof profileSchema>;

/**
 * Saves a company profile if both checks of its base URL pass. Without a secret, only changes the suggestions switch, and
 * does not run the checks (D-41).
 *
 * @returns the checks, if any
 * @throws {ProblemError} `invalid_request`, or `endpoint_check_failed` with the checks
 */
export async function saveProfile(
  deps: PortalDeps,
  { organisationId }: SignedInPerson,
  { secret, scheme, ...fields }: Profile,
): Promise<EndpointCheck[]> {
  if (secret === undefined) {
    await switchSuggestions(deps, organisationId, { scheme, ...fields });
    deps.signals.publish({ topic: "endpoint", organisationId });
    return [];
  }
  const profile = { secret, scheme: scheme ?? "timestampDigest", ...fields };
  checkSecretForScheme(profile.scheme, profile.secret);
  const checks = await checkEndpoint(deps, profile);
  await saveEndpoint(deps, organisationId, profile);
  await restartSchedules(deps.store, organisationId);
  return checks;
}

/**
 * Changes the suggestions switch in one statement, so that it cannot overwrite a concurrent save.
 *
 * @throws {ProblemError} `invalid_request` if the base URL or the scheme differs from the saved one
 */
async function switchSuggestions(
  { store, now }: PortalDeps,
  organisationId: string,
  { baseAddress, scheme, suggestsContacts }: Profile,
): Promise<void> {
  const { numUpdatedRows } = await store.db
    .updateTable("endpoints")
    .set({ suggests_contacts: suggestsContacts, updated_at: now() })
    .where("organisation_id", "=", organisationId)
    .where("base_address", "=", baseAddress)
    .$if(scheme !== undefined, (query) => query.where("scheme", "=", scheme ?? "timestampDigest"))
    .executeTakeFirstOrThrow();
  if (numUpdatedRows > 0n) return;
  const remedy = "Enter the secret. You can omit it only if the base URL and the scheme stay the same.";
  throw invalidRequest(new Map([["secret", [remedy]]]));
}

/** Saves an endpoint that has passed its checks, and enables it. */
function saveEndpoint(
  { store, encryptionKey, now, linkTo }: PortalDeps,
  organisationId: string,
  { baseAddress, scheme, secret, suggestsContacts }: Profile & { scheme: EndpointScheme; secret: string },
): Promise<void> {
  return store.transaction(async (trx) => {
    const current = await trx
      .selectFrom("endpoints")
      .select(["base_address", "scheme", "encrypted_secret"])
      .where("organisation_id", "=", organisationId)
      .forUpdate()
      .executeTakeFirst();
    // D-75: the old secret stays valid only if the base URL, the scheme and the current secret are unchanged.
    const isSameUrl = current !== undefined && toPlainUrl(current.base_address) === toPlainUrl(baseAddress);
    const isUnchanged =
      isSameUrl &&
      current.scheme === scheme &&
      matchesEncrypted(secret, current.encrypted_secret, encryptionKey, organisationId);
    const values = {
      base_address: baseAddress,
      scheme,
      encrypted_secret: encrypt(secret, encryptionKey, organisationId),
      ...(!isUnchanged && { previous_encrypted_secret: null, previous_secret_until: null }),
      ...(!isSameUrl && { has_acknowledged_contact: false }),
      suggests_contacts: suggestsContacts,
      updated_at: now(),
    };
    await trx
      .insertInto("endpoints")
      .values({ organisation_id: organisationId, ...values })
      .onConflict((conflict) => conflict.column("organisation_id").doUpdateSet(values))
      .execute();
    // D-73: passing the checks enables the endpoint.
    await enableEndpoint(trx, organisationId, linkTo);
  });
}

/** Returns the form of a base URL in which all spellings that lead to the same endpoint are equal. */
const toPlainUrl = (baseAddress: string): string | undefined => URL.parse(baseAddress)?.href.replace(/\/+$/, "");
