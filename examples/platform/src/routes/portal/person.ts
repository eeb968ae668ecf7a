import { jsonArrayFrom } from "kysely/helpers/postgres";
import { toSignInAddress } from "../../accounts/invitations.ts";
import type { Role, Session } from "../../accounts/sessions.ts";
import type { SessionDeps } from "../../accounts/signed-in-routes.ts";
import type { EndpointClient, Sign } from "../../endpoint-client/endpoint-client.ts";
import type { OfferDeps } from "../../offers/offer-deps.ts";
import type { Store } from "../../store/store.ts";

export interface PortalDeps extends OfferDeps, SessionDeps {
  endpointClient: EndpointClient;
  sign: Sign;
  /** The key that encrypts endpoint secrets at rest. */
  encryptionKey: Uint8Array;
  /** Called with errors that do not cause the request to fail. */
  onError: (error: unknown) => void;
  /** Whether the mailbox shows all emails, not only the signed-in user's. Meant for development. */
  showAllMail: boolean;
}

/** A portal user, who signs in with any of their email addresses, see `toSignInAddress`. */
export const person: Role = {
  owner: "person_id",
  table: "people",
  name: "emailAddress",
  sessionPath: "/portal/session",
  lifetime: { ms: 12 * 60 * 60 * 1_000, isSliding: false },
  find: ({ db }, emailAddress) =>
    db
      .selectFrom("people")
      .innerJoin("person_email_addresses", "person_id", "people.id")
      .select(["people.id", "password_hash"])
      .where("email_address", "=", toSignInAddress(emailAddress))
      .executeTakeFirst(),
};

/** The signed-in user, and the session whose search results they can invite. */
export type SignedInPerson = Awaited<ReturnType<typeof readPerson>>;

/** Reads the session's user, their organisation, and the organisations that it represents as an agency (D-117). */
export async function readPerson({ db }: Store, { id: sessionId, ownerId }: Session) {
  const { actsFor, ...user } = await db
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
  const organisations = [{ id: user.organisationId, name: user.organisationName }, ...actsFor];
  return { ...user, sessionId, organisations, organisationIds: organisations.map(({ id }) => id) };
}

/** Reads the user's email addresses in alphabetical order. */
export async function readEmailAddresses({ store }: PortalDeps, { id }: SignedInPerson): Promise<string[]> {
  const rows = await store.db
    .selectFrom("person_email_addresses")
    .select("email_address")
    .where("person_id", "=", id)
    .execute();
  return rows.map((row) => row.email_address).toSorted();
}
