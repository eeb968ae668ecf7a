import { sql } from "kysely";
import type { OrganisationResult } from "../../../accounts/contact-suggestions.ts";
import { toSignInAddress } from "../../../accounts/invitations.ts";
import { sha256 } from "../../../store/encrypt.ts";
import type { Trx } from "../../../store/store.ts";
import type { PortalDeps } from "../person.ts";

/** The maximum number of suggestions to store per session. The oldest are deleted. */
const maxStoredSuggestions = 20_000;

export interface SuggestedPerson {
  name: string;
  emailAddress: string;
}

const hashSuggestion = (organisationId: string, { name, emailAddress }: SuggestedPerson): string =>
  sha256(JSON.stringify([organisationId, name, toSignInAddress(emailAddress)]));

/** Stores hashes of the suggestions shown in a session, so that `findUnsuggested` can check invitations (D-87). */
export async function recordSuggestions(
  { store, now }: Pick<PortalDeps, "store" | "now">,
  sessionId: string,
  results: readonly OrganisationResult[],
): Promise<void> {
  const suggestionHashes = results.flatMap((result) =>
    "failure" in result
      ? []
      : result.suggestions.map((suggestion) => hashSuggestion(result.organisation.id, suggestion)),
  );
  if (suggestionHashes.length === 0) return;
  const hashes = JSON.stringify([...new Set(suggestionHashes)]);
  await store.transaction(async (trx) => {
    // The lock prevents deletion of the session, and serialises its searches, which could otherwise deadlock on the same rows.
    const session = await trx
      .selectFrom("sessions")
      .select("token_hash")
      .where("token_hash", "=", sessionId)
      .forNoKeyUpdate()
      .executeTakeFirst();
    // The session ended during the search.
    if (session === undefined) return;
    // Send all hashes as one parameter, because there may be thousands.
    await sql`
      insert into shown_suggestions (session_id, suggestion_hash, shown_at)
      select ${sessionId}, hash, ${now()}::timestamptz from json_array_elements_text(${hashes}::text::json) as hash
      on conflict (session_id, suggestion_hash) do update set shown_at = excluded.shown_at`.execute(trx);
    await sql`
      delete from shown_suggestions where session_id = ${sessionId} and shown_at < (
        select shown_at from shown_suggestions where session_id = ${sessionId}
        order by shown_at desc offset ${maxStoredSuggestions - 1} limit 1)`.execute(trx);
  });
}

/** Returns the positions of the people whose name and email address this organisation did not suggest in this session. */
export async function findUnsuggested(
  trx: Trx,
  sessionId: string,
  organisationId: string,
  people: readonly SuggestedPerson[],
): Promise<number[]> {
  const hashes = people.map((person) => hashSuggestion(organisationId, person));
  const rows = await trx
    .selectFrom("shown_suggestions")
    .select("suggestion_hash")
    .where("session_id", "=", sessionId)
    .where("suggestion_hash", "in", hashes)
    .execute();
  const suggestedHashes = new Set(rows.map((row) => row.suggestion_hash));
  return hashes.flatMap((hash, index) => (suggestedHashes.has(hash) ? [] : [index]));
}
