import type { InsertObject } from "kysely";
import { sha256 } from "../http/sha256.ts";
import { hashPassword } from "../session/passwords.ts";
import type { Store } from "../store/store.ts";
import type { Tables } from "../store/tables.ts";
import type { Seed } from "./seed-schema.ts";

/** Inserts missing entries and changes no existing ones, so it is safe to apply at every start. */
export async function applySeed(store: Store, { organisations, people, workers }: Seed): Promise<void> {
  // Hashing is slow on purpose, so each password once.
  const passwords = new Set([...people, ...workers].flatMap(({ password }) => password ?? []));
  const hashes = new Map(
    await Promise.all([...passwords].map(async (text) => [text, await hashPassword(text)] as const)),
  );
  const hashOf = ({ password = "", passwordHash }: Credentials): string => passwordHash ?? hashes.get(password) ?? "";

  // In the order of foreign keys.
  await insertMissing(
    store,
    "organisations",
    organisations.map(({ id, name, kind }) => ({ id, name, kind })),
  );
  await insertMissing(
    store,
    "api_keys",
    organisations.flatMap(({ id, apiKeys, actsFor }) => [
      ...apiKeys.map((key) => ({ key_hash: sha256(key), organisation_id: id, agency_id: null })),
      ...actsFor.map((held) => ({
        key_hash: sha256(held.apiKey),
        organisation_id: held.organisationId,
        agency_id: id,
      })),
    ]),
  );
  await insertMissing(
    store,
    "people",
    people.map((person) => ({
      id: person.id,
      name: person.name,
      organisation_id: person.organisationId,
      password_hash: hashOf(person),
    })),
  );
  await insertMissing(
    store,
    "person_email_addresses",
    people.flatMap(({ id, emailAddresses }) =>
      emailAddresses.map((address) => ({ email_address: address.toLowerCase(), person_id: id })),
    ),
  );
  await insertMissing(
    store,
    "workers",
    workers.map((worker) => ({ id: worker.id, name: worker.name, password_hash: hashOf(worker) })),
  );
  await insertMissing(
    store,
    "devices",
    workers.flatMap(({ id, devices }) =>
      devices.map((platform, index) => ({ id: `${id}_device_${index + 1}`, worker_id: id, platform })),
    ),
  );
}

type Credentials = Pick<Seed["people"][number], "password" | "passwordHash">;

const rowsPerInsert = 1_000;

async function insertMissing<T extends keyof Tables>(
  { db }: Store,
  table: T,
  rows: readonly InsertObject<Tables, T>[],
): Promise<void> {
  for (let from = 0; from < rows.length; from += rowsPerInsert)
    await db
      .insertInto(table)
      .values(rows.slice(from, from + rowsPerInsert))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}
