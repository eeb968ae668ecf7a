import type { Request } from "express";
import { apiKeyHeader } from "../generated/decisions.ts";
import { sha256 } from "../http/sha256.ts";
import { ProblemError } from "../problem/problem-error.ts";
import type { RateLimits } from "../rate-limits/rate-limits.ts";
import type { Store } from "../store/store.ts";

export interface Caller {
  /** Whose offers these are: the organisation that the key was issued for. */
  readonly organisationId: string;
  /** The organisations whose people may create them: that one, and the agency that acts for it with this key (D-37). */
  readonly peopleOf: readonly string[];
}

/**
 * Who calls, by the API key that the request carries (D-18).
 *
 * @throws {ProblemError} `invalid_api_key`, alike for a missing and a wrong one; `rate_limited` (D-54)
 */
export async function authenticate(
  { store, rateLimits }: { store: Store; rateLimits: RateLimits },
  request: Request,
): Promise<Caller> {
  const keyHash = sha256(request.get(apiKeyHeader) ?? "");
  // Looked up by its hash, and before anything is counted: a right key is not kept out by wrong ones from its address.
  const issued = await store.db
    .selectFrom("api_keys")
    .select(["organisation_id", "agency_id"])
    .where("key_hash", "=", keyHash)
    .executeTakeFirst();
  if (issued === undefined) {
    await rateLimits.countWrongKey(request.ip ?? "");
    throw new ProblemError("invalid_api_key", `Send your organisation's key in the header ${apiKeyHeader}.`, {
      headers: { "WWW-Authenticate": `ApiKey header="${apiKeyHeader}"` },
    });
  }
  await rateLimits.countRequest(keyHash);
  const { organisation_id: organisationId, agency_id: agencyId } = issued;
  return { organisationId, peopleOf: agencyId === null ? [organisationId] : [organisationId, agencyId] };
}
