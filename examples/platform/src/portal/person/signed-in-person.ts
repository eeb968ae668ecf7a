import type { Request } from "express";
import type { Role } from "../../session/role.ts";
import { signedIn } from "../../session/sessions.ts";
import type { PortalDeps } from "./portal-deps.ts";

/** Signs in with any of their email addresses, which are stored in lower case. */
export const person: Role = {
  owner: "person_id",
  name: "emailAddress",
  sessionPath: "/portal/session",
  find: ({ db }, emailAddress) =>
    db
      .selectFrom("people")
      .innerJoin("person_email_addresses", "person_id", "people.id")
      .select(["people.id", "password_hash"])
      .where("email_address", "=", emailAddress.toLowerCase())
      .executeTakeFirst(),
};

/**
 * The person whose session the request carries.
 *
 * @param parameters query parameters of the route
 * @throws {ProblemError} as {@link signedIn}
 */
export async function signedInPerson(
  deps: PortalDeps,
  request: Request,
  parameters: readonly string[] = [],
): Promise<PersonInSession> {
  const { id: sessionId, ownerId } = await signedIn(deps, request, person, { parameters });
  return { ...(await readPerson(deps, ownerId)), sessionId };
}

export async function readPerson({ store }: Pick<PortalDeps, "store">, id: string) {
  return await store.db
    .selectFrom("people")
    .innerJoin("organisations", "organisations.id", "people.organisation_id")
    .select(["people.id", "people.name", "organisation_id as organisationId", "organisations.name as organisationName"])
    .where("people.id", "=", id)
    .executeTakeFirstOrThrow();
}

export type SignedInPerson = Awaited<ReturnType<typeof readPerson>>;

/** With their session, in which search results can be invited. */
export interface PersonInSession extends SignedInPerson {
  sessionId: string;
}

/** The person's email addresses, which a suggestion search sends. */
export async function emailAddressesOf({ store }: PortalDeps, { id }: SignedInPerson): Promise<string[]> {
  const rows = await store.db
    .selectFrom("person_email_addresses")
    .select("email_address")
    .where("person_id", "=", id)
    .orderBy("email_address")
    .execute();
  return rows.map((row) => row.email_address);
}
