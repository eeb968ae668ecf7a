import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "../store-error.ts";

const keyBytes = 32;

/**
 * Reads the key that encrypts secrets at rest from `encryption.key` in the data folder; creates the file, readable by its
 * owner only, if it is missing. Without it encrypted secrets are lost: back it up, apart from the database.
 */
export async function readEncryptionKey(dataFolder: string): Promise<Uint8Array> {
  const path = join(dataFolder, "encryption.key");
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  // Atomic: `link` fails when another process has created the key.
  await writeFile(draft, `${randomBytes(keyBytes).toString("base64")}\n`, { mode: 0o600 });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return parseEncryptionKey((await readFile(path, "utf8")).trim(), path);
}

/**
 * @param encoded 32 bytes in base64, as `openssl rand -base64 32` prints them
 * @param from its source, for the message
 * @throws {StoreError} `invalid_encryption_key`
 */
export function parseEncryptionKey(encoded: string, from: string): Uint8Array {
  const key = Buffer.from(encoded, "base64");
  if (key.length === keyBytes && key.toString("base64") === encoded) return key;
  throw new StoreError(
    "invalid_encryption_key",
    `${from} is not 32 bytes in base64; make one with: openssl rand -base64 32`,
  );
}
