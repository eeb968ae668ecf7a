import { join } from "node:path";
import type { Store } from "../store.ts";
import { StoreError } from "../store-error.ts";
import { decrypt, encrypt } from "./encrypt.ts";
import { parseEncryptionKey, readEncryptionKey } from "./encryption-key.ts";

/**
 * Opens the key that this store's secrets are encrypted with, and checks it: the first key used with a store stays its key.
 *
 * @param encoded from the settings; without it the key is read from the data folder
 * @throws {StoreError} `invalid_encryption_key`
 */
export async function openEncryptionKey(store: Store, dataFolder: string, encoded?: string): Promise<Uint8Array> {
  const from = encoded === undefined ? join(dataFolder, "encryption.key") : "OFFERS_ENCRYPTION_KEY";
  const key = encoded === undefined ? await readEncryptionKey(dataFolder) : parseEncryptionKey(encoded, from);
  await checkAgainst(store, key, from);
  return key;
}

const owner = "encryption_key_check";

async function checkAgainst({ db }: Store, key: Uint8Array, from: string): Promise<void> {
  // One atomic statement: an existing row stays unchanged.
  const { encrypted } = await db
    .insertInto("encryption_key_check")
    .values({ encrypted: encrypt("", key, owner) })
    .onConflict((conflict) => conflict.column("only_one").doUpdateSet({ only_one: true }))
    .returning("encrypted")
    .executeTakeFirstOrThrow();
  try {
    decrypt(encrypted, key, owner);
  } catch (cause) {
    const message =
      `${from} is not the key that this database's secrets were encrypted with; set OFFERS_ENCRYPTION_KEY to that one, in ` +
      "all processes. If it is lost, empty the table encryption_key_check: webhooks then wait until their profiles are saved again";
    throw new StoreError("invalid_encryption_key", message, { cause });
  }
}
