import type { Request } from "express";
import { sha256 } from "../http/sha256.ts";
import { ProblemError } from "../problem/problem-error.ts";
import type { Store } from "../store/store.ts";

/** D-18 */
const header = "X-UE-Api-Subscription-Key";

/**
 * The organisation whose API key the request carries.
 *
 * @throws {ProblemError} `invalid_api_key`, alike for a missing and a wrong one
 */
export async function authenticate(store: Store, request: Request): Promise<string> {
  const key = request.get(header);
  const owner = key
    ? await store.db
        .selectFrom("api_keys")
        .select("organisation_id")
        .where("key_hash", "=", sha256(key))
        .executeTakeFirst()
    : undefined;
  if (owner !== undefined) return owner.organisation_id;
  throw new ProblemError("invalid_api_key", `Send your organisation's key in the header ${header}.`, {
    headers: { "WWW-Authenticate": `ApiKey header="${header}"` },
  });
}
