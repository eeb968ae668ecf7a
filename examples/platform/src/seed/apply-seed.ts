import type { InsertObject } from "kysely";
import pLimit from "p-limit";
import { apiKeyHint } from "../accounts/api-keys.ts";
import { toSignInAddress } from "../accounts/invitations.ts";
import { maxConcurrentHashes, type Passwords } from "../accounts/passwords.ts";
import { sha256 } from "../store/encrypt.ts";
import type { Store } from "../store/store.ts";
import type { Tables } from "../store/tables.ts";
import type { Credentials, Seed } from "./seed-schema.ts";

const rowsPerInsert = 1_000;

/** Inserts missing entries and does not change existing ones, so it is safe to apply a seed at every start. */
export async function applySeed(
  { db }: Store,
  { organisations, people, workers }: Seed,
  { hash }: Passwords,
): Promise<void> {
  const hashes = await hashPasswords([...people, ...workers], hash);
  // The schema guarantees that there is either a password or a hash.
  const hashFor = ({ password = "", passwordHash }: Credentials): string => passwordHash ?? hashes.get(password) ?? "";

  // List the tables in an order that satisfies foreign keys.
  const rowsByTable: { [Table in keyof Tables]?: InsertObject<Tables, Table>[] } = {
    organisations: organisations.map(({ id, name, kind }) => ({ id, name, kind })),
    api_keys: organisations.flatMap(({ id, name: agencyName, apiKeys, actsFor }) => [
      ...apiKeys.map(({ key, name = "Seed file" }) => {
        return { key_hash: sha256(key), hint: apiKeyHint(key), name, organisation_id: id, agency_id: null };
      }),
      ...actsFor.map(({ apiKey: key, organisationId, name = agencyName }) => {
        return { key_hash: sha256(key), hint: apiKeyHint(key), name, organisation_id: organisationId, agency_id: id };
      }),
    ]),
    places: organisations.flatMap(({ id: organisationId, places }) =>
      places.map(({ id, name }) => ({ id, name, organisation_id: organisationId })),
    ),
    people: people.map(({ id, name, organisationId, ...credentials }) => ({
      id,
      name,
      organisation_id: organisationId,
      password_hash: hashFor(credentials),
    })),
    person_email_addresses: people.flatMap(({ id, emailAddresses }) =>
      emailAddresses.map((address) => ({ email_address: toSignInAddress(address), person_id: id })),
    ),
    workers: workers.map(({ id, name, ...credentials }) => ({ id, name, password_hash: hashFor(credentials) })),
    devices: workers.flatMap(({ id, devices }) =>
      devices.map((platform, index) => ({ id: `${id}_device_${index + 1}`, worker_id: id, platform })),
    ),
  };
  for (const [table, rows] of Object.entries(rowsByTable))
    for (let start = 0; start < rows.length; start += rowsPerInsert)
      await db
        .insertInto(table as keyof Tables)
        .values(rows.slice(start, start + rowsPerInsert))
        .onConflict((conflict) => conflict.doNothing())
        .execute();
}

/** Hashes each distinct password only once, because hashing is deliberately slow. @returns the hashes, keyed by password */
async function hashPasswords(
  credentials: readonly Credentials[],
  hash: Passwords["hash"],
): Promise<ReadonlyMap<string, string>> {
  const passwords = new Set(credentials.flatMap(({ password }) => password ?? []));
  const limitConcurrency = pLimit(maxConcurrentHashes);
  const hashOne = (text: string) => limitConcurrency(async () => [text, await hash(text)] as const);
  return new Map(await Promise.all([...passwords].map(hashOne)));
}
