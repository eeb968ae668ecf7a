import { randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { apiKeyHint, apiKeyPrefix } from "../../../accounts/api-keys.ts";
import { lineField } from "../../../http/fields.ts";
import { ProblemError } from "../../../http/problem.ts";
import { sha256 } from "../../../store/encrypt.ts";
import type { Trx } from "../../../store/store.ts";
import type { PortalDeps, SignedInPerson } from "../person.ts";

export const apiKeySchema = z.strictObject({ name: lineField.max(100) });

/** The maximum number of keys per organisation. It allows many systems to rotate their keys, and all keys fit on one page. */
const maxKeys = 100;

export type ApiKeyRow = Awaited<ReturnType<typeof readApiKeys>>[number];

const keyQuery = ({ store }: PortalDeps, { organisationId }: SignedInPerson) =>
  store.db
    .selectFrom("api_keys")
    .leftJoin("organisations as agencies", "agencies.id", "agency_id")
    .select(["api_keys.id", "api_keys.name", "hint", "api_keys.created_at as createdAt", "last_used_at as lastUsedAt"])
    .select("agencies.name as agencyName")
    .where("organisation_id", "=", organisationId);

/** Reads the keys that give access to the organisation's offers, each with its agency, newest first (D-119). */
export const readApiKeys = (deps: PortalDeps, person: SignedInPerson) =>
  keyQuery(deps, person).orderBy("api_keys.created_at", "desc").orderBy("api_keys.id").execute();

/** Reads one of the organisation's keys. @throws {ProblemError} `api_key_not_found`, even for another organisation's key */
export async function readApiKey(deps: PortalDeps, person: SignedInPerson, keyId: string): Promise<ApiKeyRow> {
  const key = await keyQuery(deps, person).where("api_keys.id", "=", keyId).executeTakeFirst();
  if (key === undefined) throw apiKeyNotFound();
  return key;
}

const apiKeyNotFound = (): ProblemError =>
  new ProblemError("api_key_not_found", "Your organisation has no key with this id.");

/**
 * Creates a key in the caller's transaction (D-119). Only its hash is stored.
 *
 * @returns the key, which cannot be shown again
 * @throws {ProblemError} `too_many_api_keys`
 */
export async function createApiKey(
  trx: Trx,
  { now }: Pick<PortalDeps, "now">,
  { organisationId }: SignedInPerson,
  { name }: z.infer<typeof apiKeySchema>,
): Promise<string> {
  // The lock serialises concurrent requests from one organisation.
  await trx.selectFrom("organisations").select("id").where("id", "=", organisationId).forNoKeyUpdate().execute();
  const { count } = await trx
    .selectFrom("api_keys")
    .select(({ fn }) => fn.countAll<string>().as("count"))
    .where("organisation_id", "=", organisationId)
    .executeTakeFirstOrThrow();
  if (Number(count) >= maxKeys)
    throw new ProblemError("too_many_api_keys", `An organisation can have at most ${maxKeys} keys. Revoke one first.`);
  const key = `${apiKeyPrefix}${randomBytes(32).toString("base64url")}`;
  await trx
    .insertInto("api_keys")
    .values({
      key_hash: sha256(key),
      hint: apiKeyHint(key),
      id: `key_${randomUUID()}`,
      name,
      organisation_id: organisationId,
      agency_id: null,
      created_at: now(),
    })
    .execute();
  return key;
}

/**
 * Revokes a key. Later requests with this key get 401.
 *
 * @returns an object with the name of the key
 * @throws {ProblemError} `api_key_not_found`, even for another organisation's key
 */
export async function revokeApiKey({ store }: PortalDeps, { organisationId }: SignedInPerson, keyId: string) {
  const revokedKey = await store.db
    .deleteFrom("api_keys")
    .where("id", "=", keyId)
    .where("organisation_id", "=", organisationId)
    .returning("name")
    .executeTakeFirst();
  if (revokedKey === undefined) throw apiKeyNotFound();
  return revokedKey;
}
