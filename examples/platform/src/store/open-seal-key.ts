import { join } from "node:path";
import { seal, unseal } from "./seal.ts";
import { parseSealKey, sealKey } from "./seal-key.ts";
import type { Store } from "./store.ts";
import { StoreError } from "./store-error.ts";

/**
 * The key that this store's secrets are sealed with: the first that a process brings becomes it. One with another key could
 * sign nothing that was saved before, and the others nothing that it saves.
 *
 * @param encoded as the settings have it; without it the key lies in the data folder
 * @throws {StoreError} `seal_key_unusable`
 */
export async function openSealKey(store: Store, dataFolder: string, encoded?: string): Promise<Uint8Array> {
  const from = encoded === undefined ? join(dataFolder, "seal.key") : "OFFERS_SEAL_KEY";
  const key = encoded === undefined ? await sealKey(dataFolder) : parseSealKey(encoded, from);
  await checkAgainst(store, key, from);
  return key;
}

const owner = "seal_check";

async function checkAgainst({ db }: Store, key: Uint8Array, from: string): Promise<void> {
  // In one statement, so that nothing comes between: the row that is there stays as it is.
  const { sealed } = await db
    .insertInto("seal_check")
    .values({ sealed: seal("", key, owner) })
    .onConflict((conflict) => conflict.column("only_one").doUpdateSet({ only_one: true }))
    .returning("sealed")
    .executeTakeFirstOrThrow();
  try {
    unseal(sealed, key, owner);
  } catch (cause) {
    const message =
      `${from} is not the key that this database's secrets were sealed with; give that one as OFFERS_SEAL_KEY, the same to ` +
      "all processes. If it is lost, empty the table seal_check: then webhooks wait until their profiles are saved again";
    throw new StoreError("seal_key_unusable", message, { cause });
  }
}
