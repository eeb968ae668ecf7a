import { randomBytes, randomUUID } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { decrypt, encrypt } from "./encrypt.ts";
import { type Store, StoreError } from "./store.ts";

const keyBytes = 32;

/**
 * Reads the key that encrypts secrets at rest from `encryption.key` in the data folder; creates the file, readable by its
 * owner only, if it is missing. Encrypted secrets are lost without it, so back it up separately from the database.
 */
export async function readEncryptionKey(dataFolder: string, linkFile = link): Promise<Uint8Array> {
  const path = join(dataFolder, "encryption.key");
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  const content = `${randomBytes(keyBytes).toString("base64")}\n`;
  await writeFile(draft, content, { mode: 0o600 });
  try {
    // This is atomic: `link` fails if another process has created the key.
    await linkFile(draft, path);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (withoutHardLinks.has(code)) await createFile(path, content);
    else if (code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return parseEncryptionKey((await readFile(path, "utf8")).trim(), path);
}

/** The errors that `link` returns on exFAT, SMB and virtual machines' shared folders. */
const withoutHardLinks: ReadonlySet<string> = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"]);

/** Creates the file unless it exists. If another process has just created it, the file may still be empty. */
async function createFile(path: string, content: string): Promise<void> {
  try {
    await writeFile(path, content, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    for (let left = 20; left > 0 && (await readFile(path, "utf8")) === ""; left -= 1) await sleep(50);
  }
}

/**
 * @param encoded 32 bytes in base64, as `openssl rand -base64 32` prints them
 * @param from where it comes from, for the message
 * @throws {StoreError} `invalid_encryption_key`
 */
export function parseEncryptionKey(encoded: string, from: string): Uint8Array {
  const key = Buffer.from(encoded, "base64");
  if (key.length === keyBytes && key.toString("base64") === encoded) return key;
  throw new StoreError(
    "invalid_encryption_key",
    `${from} is not 32 bytes in base64; create one with: openssl rand -base64 32`,
  );
}

/**
 * Reads the key that encrypts this store's secrets, and checks it: a store remembers the first key that was used with it.
 *
 * @param encoded the key from the settings; if omitted, the key is read from the data folder
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
  // One atomic statement. The update changes nothing, but makes RETURNING include an existing row.
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
