import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { decrypt, encrypt } from "./encrypt.ts";
import { makePrivate } from "./make-private.ts";
import { type Store, StoreError } from "./store.ts";

const keyBytes = 32;

/**
 * Reads the key that encrypts stored secrets from `encryption.key` in the data folder. If the file is missing, creates it, readable
 * only by its owner. Without the key, encrypted secrets are lost, so back it up separately from the database.
 */
export async function readOrCreateEncryptionKey(dataFolder: string, linkFile = link): Promise<Uint8Array> {
  const path = join(dataFolder, "encryption.key");
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const temporaryFile = `${path}.${randomUUID()}`;
  const content = `${randomBytes(keyBytes).toString("base64")}\n`;
  await writeFile(temporaryFile, content, { mode: 0o600 });
  try {
    // `link` is atomic, and fails if another process has already created the key.
    await linkFile(temporaryFile, path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (hardLinkUnsupportedCodes.has(code)) await createKeyFile(path, content);
    else if (code !== "EEXIST") throw error;
  } finally {
    await rm(temporaryFile, { force: true });
  }
  makePrivate(path);
  return parseEncryptionKey((await readFile(path, "utf8")).trim(), path);
}

/** Error codes from `link` on file systems without hard links: exFAT, SMB and the shared folders of virtual machines. */
const hardLinkUnsupportedCodes: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Creates the file unless it exists. If another process has just created it, waits up to a second until it is no longer empty. */
async function createKeyFile(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    for (let readsLeft = 20; readsLeft > 0 && (await readFile(path, "utf8")) === ""; readsLeft -= 1) await sleep(50);
  }
}

/**
 * Decodes and checks a key.
 *
 * @param encoded 32 bytes in base64, as printed by `openssl rand -base64 32`
 * @param source the file or setting that contains the key, for the error message
 * @throws {StoreError} `invalid_encryption_key`
 */
export function parseEncryptionKey(encoded: string, source: string): Uint8Array {
  const key = Buffer.from(encoded, "base64");
  if (key.length === keyBytes && key.toString("base64") === encoded) return key;
  throw new StoreError(
    "invalid_encryption_key",
    `${source} is not 32 bytes in base64; create one with: openssl rand -base64 32`,
  );
}

/**
 * Reads the key that encrypts this store's secrets, and checks that the store has always used this key.
 *
 * @param encoded the key from the settings; if omitted, the key is read from the data folder
 * @throws {StoreError} `invalid_encryption_key`
 */
export async function openEncryptionKey(store: Store, dataFolder: string, encoded?: string): Promise<Uint8Array> {
  const source = encoded === undefined ? join(dataFolder, "encryption.key") : "OFFERS_ENCRYPTION_KEY";
  const key = encoded === undefined ? await readOrCreateEncryptionKey(dataFolder) : parseEncryptionKey(encoded, source);
  await checkKey(store, key, source);
  return key;
}

const keyCheckOwner = "encryption_key_check";

async function checkKey({ db }: Store, key: Uint8Array, source: string): Promise<void> {
  // Use one atomic statement. The update changes no value, but makes RETURNING include an existing row.
  const { encrypted } = await db
    .insertInto("encryption_key_check")
    .values({ encrypted: encrypt("", key, keyCheckOwner) })
    .onConflict((conflict) => conflict.column("only_one").doUpdateSet({ only_one: true }))
    .returning("encrypted")
    .executeTakeFirstOrThrow();
  try {
    decrypt(encrypted, key, keyCheckOwner);
  } catch (cause) {
    const message =
      `${source} is not the key that this database's secrets were encrypted with; set OFFERS_ENCRYPTION_KEY to that key in ` +
      "all processes. If the key is lost, empty the table encryption_key_check. Webhooks then wait until their profiles are saved again";
    throw new StoreError("invalid_encryption_key", message, { cause });
  }
}
