import { sha256 } from "../http/sha256.ts";
import { hashPassword } from "../session/passwords.ts";
import type { Store, Trx } from "../store/store.ts";
import type { Seed } from "./seed-file.ts";

/** Inserts what is not there yet and changes nothing that is: applying it at every start is harmless. */
export async function applySeed(store: Store, seed: Seed): Promise<void> {
  // Slow on purpose, so not in the transaction, and each password once.
  const passwords = [...new Set([...seed.people, ...seed.workers].map(({ password }) => password))];
  const hashes = new Map(await Promise.all(passwords.map(async (text) => [text, await hashPassword(text)] as const)));
  const hashOf = (password: string): string => hashes.get(password) ?? "";
  await store.transaction(async (trx) => {
    for (const organisation of seed.organisations) await insertOrganisation(trx, organisation);
    for (const person of seed.people) await insertPerson(trx, person, hashOf(person.password));
    for (const worker of seed.workers) await insertWorker(trx, worker, hashOf(worker.password));
  });
}

async function insertOrganisation(
  trx: Trx,
  { apiKeys, ...organisation }: Seed["organisations"][number],
): Promise<void> {
  const keys = apiKeys.map((key) => ({ key_hash: sha256(key), organisation_id: organisation.id }));
  await trx.insertInto("organisations").values(organisation).onConflict(ignore).execute();
  await trx.insertInto("api_keys").values(keys).onConflict(ignore).execute();
}

async function insertPerson(trx: Trx, person: Seed["people"][number], hash: string): Promise<void> {
  const { id, name, organisationId, emailAddresses } = person;
  const addresses = emailAddresses.map((address) => ({ email_address: address, person_id: id }));
  const row = { id, name, organisation_id: organisationId, password_hash: hash };
  await trx.insertInto("people").values(row).onConflict(ignore).execute();
  await trx.insertInto("person_email_addresses").values(addresses).onConflict(ignore).execute();
}

async function insertWorker(trx: Trx, { id, name, devices }: Seed["workers"][number], hash: string): Promise<void> {
  const rows = devices.map((platform, index) => ({ id: `${id}_device_${index + 1}`, worker_id: id, platform }));
  await trx.insertInto("workers").values({ id, name, password_hash: hash }).onConflict(ignore).execute();
  await trx.insertInto("devices").values(rows).onConflict(ignore).execute();
}

const ignore = <T>(conflict: { doNothing: () => T }): T => conflict.doNothing();
