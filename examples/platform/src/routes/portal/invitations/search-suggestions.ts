import { nullAsAbsent } from "@offers/contract/received-values";
import { sql } from "kysely";
import { z } from "zod";
import { type OrganisationResult, searchAll } from "../../../accounts/contact-suggestions.ts";
import { textField } from "../../../http/fields.ts";
import { type FieldErrors, ProblemError } from "../../../http/problem.ts";
import { addFieldError } from "../../../http/validation.ts";
import { containsPattern } from "../../../store/contains-pattern.ts";
import { type PortalDeps, readEmailAddresses, type SignedInPerson } from "../person.ts";
import { recordSuggestions } from "./shown-suggestions.ts";

/** Reads the organisations that implement suggestions (D-22): the user's own organisation first, then all others by name. */
export const readSuggestingOrganisations = ({ store }: PortalDeps, { organisationId }: SignedInPerson) =>
  store.db
    .selectFrom("endpoints")
    .innerJoin("organisations", "organisations.id", "organisation_id")
    .select(["organisations.id", "organisations.name"])
    .select(sql<boolean>`organisations.id = ${organisationId}`.as("isOwn"))
    .where("suggests_contacts", "=", true)
    .orderBy("isOwn", "desc")
    .orderBy("organisations.name")
    .orderBy("organisations.id")
    .execute();

/** The maximum number of organisations to list in addition to the chosen ones. */
const maxOtherOrganisations = 20;

export interface OrganisationChoice extends SuggestingOrganisation {
  /** Whether the user has included this organisation in an earlier search. */
  isRemembered: boolean;
}

/**
 * Reads the organisations that a user can choose for a search (D-123). The user's own organisation comes first, then the chosen
 * organisations, the most recently searched organisations, and all others by name. Returns at most 20 in addition to the chosen
 * organisations, and whether there are more.
 *
 * @param text selects organisations with this text in their name, in addition to the user's own organisation and the chosen organisations
 */
export async function readOrganisationChoices(
  { store }: PortalDeps,
  { id, organisationId }: SignedInPerson,
  { text, chosen = [] }: { text?: string | undefined; chosen?: readonly string[] },
): Promise<{ choices: OrganisationChoice[]; hasMore: boolean }> {
  const isChosen = sql<boolean>`organisations.id in (
    select json_array_elements_text(${JSON.stringify(chosen)}::text::json))`;
  const organisations = await store.db
    .selectFrom("endpoints")
    .innerJoin("organisations", "organisations.id", "endpoints.organisation_id")
    .leftJoin("searched_organisations", (join) =>
      join.onRef("searched_organisations.organisation_id", "=", "organisations.id").on("person_id", "=", id),
    )
    .select(["organisations.id", "organisations.name"])
    .select(sql<boolean>`organisations.id = ${organisationId}`.as("isOwn"))
    .select(sql<boolean>`searched_at is not null`.as("isRemembered"))
    .where("suggests_contacts", "=", true)
    .$if(text !== undefined, (query) =>
      query.where(({ eb, or }) =>
        or([
          eb("organisations.name", "ilike", containsPattern(text ?? "")),
          eb("organisations.id", "=", organisationId),
          isChosen,
        ]),
      ),
    )
    .orderBy("isOwn", "desc")
    .orderBy(isChosen, "desc")
    .orderBy("searched_at", (order) => order.desc().nullsLast())
    .orderBy("organisations.name")
    .orderBy("organisations.id")
    .limit(maxOtherOrganisations + chosen.length + 1)
    .execute();
  const choices = organisations.slice(0, maxOtherOrganisations + chosen.length);
  return { choices, hasMore: organisations.length > choices.length };
}

/** Stores which organisations the user searched, so that the next search can list them first. */
async function rememberSearch(
  { store, now }: PortalDeps,
  personId: string,
  organisationIds: readonly string[],
): Promise<void> {
  await sql`
    insert into searched_organisations (person_id, organisation_id, searched_at)
    select distinct ${personId}, id, ${now()}::timestamptz
    from json_array_elements_text(${JSON.stringify(organisationIds)}::text::json) as id
    on conflict (person_id, organisation_id) do update set searched_at = excluded.searched_at`.execute(store.db);
}

export type SuggestingOrganisation = Awaited<ReturnType<typeof readSuggestingOrganisations>>[number];

/** A search for people. Only the given organisations receive the user's email addresses (D-88). An empty filter has no effect. */
export const searchSchema = nullAsAbsent(
  z.strictObject({
    organisationIds: z.array(textField).min(1).max(1_000),
    filter: z.literal("").or(textField).optional(),
  }),
);

export type PersonSearch = z.infer<typeof searchSchema>;

/**
 * Searches the given organisations with the user's email addresses. The people found can be invited in the same session.
 *
 * @throws {ProblemError} `organisation_not_suggesting`, before any organisation is called
 */
export async function searchSuggestions(
  deps: PortalDeps,
  person: SignedInPerson,
  { organisationIds, filter }: PersonSearch,
): Promise<OrganisationResult[]> {
  const suggestingIds = new Set((await readSuggestingOrganisations(deps, person)).map(({ id }) => id));
  const errors: FieldErrors = new Map();
  const remedy = "Remove this id, because no organisation with this id implements suggestions.";
  for (const [index, id] of organisationIds.entries())
    if (!suggestingIds.has(id)) addFieldError(errors, `organisationIds[${index}]`, remedy);
  if (errors.size > 0)
    throw new ProblemError(
      "organisation_not_suggesting",
      "No organisation was searched. Choose only organisations that implement suggestions.",
      { errors },
    );
  const userEmailAddresses = await readEmailAddresses(deps, person);
  const results = await searchAll(deps, { organisationIds, userEmailAddresses, ...(filter && { filter }) });
  await rememberSearch(deps, person.id, organisationIds);
  await recordSuggestions(deps, person.sessionId, results);
  return results;
}
