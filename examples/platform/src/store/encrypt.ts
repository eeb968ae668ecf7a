import { createCipheriv, createDecipheriv, createSecretKey, hash, type KeyObject, randomBytes } from "node:crypto";
import { StoreError } from "./store.ts";

const version = "v1";
const nonceBytes = 12;
const tagBytes = 16;

/** Caches a KeyObject for each key. Otherwise, `createCipheriv` would create a KeyObject on every call, which is slow. */
const keyObjects = new WeakMap<Uint8Array, KeyObject>();

function toKeyObject(key: Uint8Array): KeyObject {
  const keyObject = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, keyObject);
  return keyObject;
}

/**
 * Encrypts `text` with AES-256-GCM for storage in a column. Each call returns a different string.
 *
 * @param key 32 bytes, see `readOrCreateEncryptionKey`
 * @param ownerId the id of the row that contains the value. If the value is copied to a different row, it cannot be decrypted
 */
export function encrypt(text: string, key: Uint8Array, ownerId: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", toKeyObject(key), nonce).setAAD(Buffer.from(ownerId));
  const encrypted = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${version}.${encrypted.toString("base64url")}`;
}

/** Decrypts a value. @throws {StoreError} `invalid_encryption_key` if the key or the owner differs, or the value has been changed */
export function decrypt(encrypted: string, key: Uint8Array, ownerId: string): string {
  try {
    const [prefix, encoded = ""] = encrypted.split(".");
    if (prefix !== version) throw new Error("unknown version");
    const bytes = Buffer.from(encoded, "base64url");
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv("aes-256-gcm", toKeyObject(key), nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(ownerId)).setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new StoreError(
      "invalid_encryption_key",
      "a secret could not be decrypted; use the key that it was encrypted with",
      {
        cause,
      },
    );
  }
}

/** Returns whether `encrypted` decrypts to `text`. Returns false if decryption fails. */
export function matchesEncrypted(text: string, encrypted: string, key: Uint8Array, ownerId: string): boolean {
  try {
    return decrypt(encrypted, key, ownerId) === text;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}

/** The columns with an endpoint's encrypted secrets. */
export interface EncryptedSecrets {
  encrypted_secret: string;
  previous_encrypted_secret: string | null;
  previous_secret_until: Date | null;
}

export interface Secrets {
  secret: string;
  /** The secret before the last rotation, during the overlap (D-75). */
  previousSecret?: string;
}

/**
 * Decrypts the secrets that are valid at `now`.
 *
 * @throws {StoreError} `invalid_encryption_key`
 */
export function decryptSecrets(row: EncryptedSecrets, key: Uint8Array, organisationId: string, now: Date): Secrets {
  const { encrypted_secret: encrypted, previous_encrypted_secret: previous, previous_secret_until: until } = row;
  const secret = decryptCached(encrypted, key, organisationId);
  if (previous === null || until === null || until <= now) return { secret };
  return { secret, previousSecret: decryptCached(previous, key, organisationId) };
}

const maxCachedSecrets = 1_000;
/** The LRU caches of decrypted secrets, one cache per key. Without them, every delivery would decrypt a secret. */
const secretCaches = new WeakMap<Uint8Array, Map<string, string>>();

function decryptCached(encrypted: string, key: Uint8Array, organisationId: string): string {
  const secrets = secretCaches.get(key) ?? new Map<string, string>();
  secretCaches.set(key, secrets);
  const cacheKey = `${organisationId} ${encrypted}`;
  const secret = secrets.get(cacheKey) ?? decrypt(encrypted, key, organisationId);
  // Insert the entry again, so that it is the most recently used.
  secrets.delete(cacheKey);
  secrets.set(cacheKey, secret);
  const [oldest] = secrets.keys();
  if (secrets.size > maxCachedSecrets && oldest !== undefined) secrets.delete(oldest);
  return secret;
}

/** Hashes an API key or session token. These are long and random, so they do not need a salt. */
export const sha256 = (text: string): string => hash("sha256", text, "hex");
