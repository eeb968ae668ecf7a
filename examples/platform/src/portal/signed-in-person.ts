import type { Request } from "express";
import { notSignedIn, sessionOf } from "../session/sessions.ts";
import type { PortalDeps } from "./portal-deps.ts";

/**
 * The person whose session the request carries.
 *
 * @throws {ProblemError} `not_signed_in`
 */
export async function signedInPerson({ store, now }: PortalDeps, request: Request) {
  const session = await sessionOf(store, request, now());
  if (!session?.person_id) throw notSignedIn("/portal/session");
  return await store.db
    .selectFrom("people")
    .innerJoin("organisations", "organisations.id", "people.organisation_id")
    .select(["people.id", "people.name", "organisation_id as organisationId", "organisations.name as organisationName"])
    .where("people.id", "=", session.person_id)
    .executeTakeFirstOrThrow();
}

export type SignedInPerson = Awaited<ReturnType<typeof signedInPerson>>;

/** The person's portal e-mail addresses: what a suggestion search starts from. */
export async function emailAddressesOf({ store }: PortalDeps, person: SignedInPerson): Promise<string[]> {
  const rows = await store.db
    .selectFrom("person_email_addresses")
    .select("email_address")
    .where("person_id", "=", person.id)
    .orderBy("email_address")
    .execute();
  return rows.map((row) => row.email_address);
}
