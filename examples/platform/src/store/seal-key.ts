import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StoreError } from "./store-error.ts";

const keyBytes = 32;

/**
 * The key that seals secrets at rest: `seal.key` in the data folder, made once, readable by its owner alone.
 * Without that file sealed secrets are lost, so back it up, and not beside the database.
 */
export async function sealKey(dataFolder: string): Promise<Uint8Array> {
  const path = join(dataFolder, "seal.key");
  await mkdir(dataFolder, { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  // A whole file appears under the name, or none: `link` fails when the key is already there.
  await writeFile(draft, `${randomBytes(keyBytes).toString("base64")}\n`, { mode: 0o600 });
  try {
    await link(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    await rm(draft, { force: true });
  }
  return parseSealKey((await readFile(path, "utf8")).trim(), path);
}

/**
 * @param encoded 32 bytes in base64, as `openssl rand -base64 32` prints them
 * @param from where it came from, for the message
 * @throws {StoreError} `seal_key_unusable`
 */
export function parseSealKey(encoded: string, from: string): Uint8Array {
  const key = Buffer.from(encoded, "base64");
  if (key.length === keyBytes && key.toString("base64") === encoded) return key;
  throw new StoreError(
    "seal_key_unusable",
    `${from} is not 32 bytes in base64; make one with: openssl rand -base64 32`,
  );
}
