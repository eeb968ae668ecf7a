import { apiKeyHeader } from "@offers/contract/decisions";
import type { Request, Response } from "express";
import { sql } from "kysely";
import { ProblemError } from "../http/problem.ts";
import { sha256 } from "../store/encrypt.ts";
import type { Store } from "../store/store.ts";
import type { RateLimits } from "./rate-limits.ts";

export interface Caller {
  /** The organisation that the key was issued for, which owns the offers. */
  readonly organisationId: string;
  /** The organisations that may create offers with this key: the owner, and the agency that acts for the owner (D-37). */
  readonly creatorOrganisationIds: readonly string[];
}

/**
 * Identifies the caller by the API key (D-18), counts the request against the key's rate limit, and sets the rate limit headers of the
 * response (D-54). Also records when the key was last used (D-119).
 *
 * @throws {ProblemError} `invalid_api_key` if the key is missing or invalid; `rate_limited` (D-54)
 */
export async function authenticate(
  { store, rateLimits }: { store: Store; rateLimits: RateLimits },
  request: Request,
  response: Response,
): Promise<Caller> {
  const keyHash = sha256(request.get(apiKeyHeader) ?? "");
  // Look up the key before counting the request, because invalid keys must not lock out a valid key from the same address.
  const keyRow = await store.db
    .selectFrom("api_keys")
    .select(["organisation_id", "agency_id"])
    .select(sql<boolean>`last_used_at is null or last_used_at < now() - interval '1 minute'`.as("isLastUseOutdated"))
    .where("key_hash", "=", keyHash)
    .executeTakeFirst();
  if (keyRow === undefined) {
    await rateLimits.countInvalidKey(request.ip ?? "");
    throw new ProblemError("invalid_api_key", `Send your organisation's key in the ${apiKeyHeader} header.`, {
      headers: { "WWW-Authenticate": `ApiKey header="${apiKeyHeader}"` },
    });
  }
  // Set the headers now, so that error responses contain them too.
  response.set(await rateLimits.countRequest(keyHash));
  if (keyRow.isLastUseOutdated) await recordUse(store, keyHash);
  const { organisation_id: organisationId, agency_id: agencyId } = keyRow;
  return { organisationId, creatorOrganisationIds: agencyId === null ? [organisationId] : [organisationId, agencyId] };
}

/** Records when the key was last used, at most once a minute to limit writes (D-119). */
async function recordUse({ db }: Store, keyHash: string): Promise<void> {
  await db
    .updateTable("api_keys")
    .set({ last_used_at: sql<Date>`now()` })
    .where("key_hash", "=", keyHash)
    .where(sql<boolean>`(last_used_at is null or last_used_at < now() - interval '1 minute')`)
    .execute();
}

/** The prefix of every key created in the portal, so that secret scanners can recognise leaked keys. */
export const apiKeyPrefix = "ok_";

/**
 * Returns a hint that helps users recognise a key, such as `ok_Ab3d…x9Qz`. It contains the last four characters, and the first seven of
 * a key that was created in the portal. Keys in a seed file may be short, so the hint is empty if it would reveal over a third of the key.
 */
export function apiKeyHint(key: string): string {
  const firstCharacters = key.startsWith(apiKeyPrefix) && key.length >= 33 ? key.slice(0, apiKeyPrefix.length + 4) : "";
  return key.length >= 12 ? `${firstCharacters}…${key.slice(-4)}` : "";
}
