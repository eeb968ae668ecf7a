import { jsonArrayFrom } from "kysely/helpers/postgres";
import type { Role, Session } from "../../accounts/sessions.ts";
import type { SessionDeps } from "../../accounts/signed-in-routes.ts";
import type { EndpointClient, Sign } from "../../endpoint-client/endpoint-client.ts";
import type { OfferDeps } from "../../offers/offer-deps.ts";
import type { Store } from "../../store/store.ts";

export interface PortalDeps extends OfferDeps, SessionDeps {
  endpointClient: EndpointClient;
  sign: Sign;
  /** Encrypts the secrets of endpoints at rest. */
  encryptionKey: Uint8Array;
  /** Receives errors that do not fail the response. */
  onError: (error: unknown) => void;
  /** For development: the mailbox shows all mail, not only mail to the signed-in person. */
  showAllMail: boolean;
}

/** Signs in with any of the person's email addresses, which are stored in lower case. */
export const person: Role = {
  owner: "person_id",
  name: "emailAddress",
  sessionPath: "/portal/session",
  lifetime: { ms: 12 * 60 * 60 * 1_000, isSliding: false },
  find: ({ db }, emailAddress) =>
    db
      .selectFrom("people")
      .innerJoin("person_email_addresses", "person_id", "people.id")
      .select(["people.id", "password_hash"])
      .where("email_address", "=", emailAddress.toLowerCase())
      .executeTakeFirst(),
};

/** The signed-in person, with the session in which search results can be invited. */
export type SignedInPerson = Awaited<ReturnType<typeof readPerson>>;

/** The session's person, their organisation, and those that it acts for (D-117). */
export async function readPerson({ db }: Store, { id: sessionId, ownerId }: Session) {
  const { actsFor, ...found } = await db
    .selectFrom("people")
    .innerJoin("organisations", "organisations.id", "people.organisation_id")
    .select(["people.id", "people.name", "organisation_id as organisationId", "organisations.name as organisationName"])
    .select("organisations.time_zone as timeZone")
    .select(({ selectFrom }) =>
      jsonArrayFrom(
        selectFrom("api_keys")
          .innerJoin("organisations as clients", "clients.id", "api_keys.organisation_id")
          .select(["clients.id", "clients.name"])
          .distinct()
          .whereRef("agency_id", "=", "people.organisation_id")
          .orderBy("clients.name")
          .orderBy("clients.id"),
      ).as("actsFor"),
    )
    .where("people.id", "=", ownerId)
    .executeTakeFirstOrThrow();
  const organisations = [{ id: found.organisationId, name: found.organisationName }, ...actsFor];
  return { ...found, sessionId, organisations, organisationIds: organisations.map(({ id }) => id) };
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
