import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { StoreError } from "../store-error.ts";

const version = "v1";
const nonceBytes = 12;
const tagBytes = 16;

/** `createCipheriv` makes a KeyObject of key bytes on every call, which takes most of its time; every delivery decrypts a secret. */
const keyObjects = new WeakMap<Uint8Array, KeyObject>();

function keyObjectOf(key: Uint8Array): KeyObject {
  const known = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, known);
  return known;
}

/**
 * Encrypts `text` with AES-256-GCM for a column of the store. The same text encrypted twice looks different.
 *
 * @param key 32 bytes, see `readEncryptionKey`
 * @param owner the id of the row it belongs to: encrypted text copied to another row does not decrypt
 */
export function encrypt(text: string, key: Uint8Array, owner: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", keyObjectOf(key), nonce).setAAD(Buffer.from(owner));
  const encrypted = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${version}.${encrypted.toString("base64url")}`;
}

/** @throws {StoreError} `invalid_encryption_key` for another key, another owner, or changed text */
export function decrypt(encrypted: string, key: Uint8Array, owner: string): string {
  try {
    const [prefix, encoded = ""] = encrypted.split(".");
    if (prefix !== version) throw new Error("unknown version");
    const bytes = Buffer.from(encoded, "base64url");
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv("aes-256-gcm", keyObjectOf(key), nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new StoreError(
      "invalid_encryption_key",
      "a secret could not be decrypted; is this the key it was encrypted with?",
      {
        cause,
      },
    );
  }
}

/** Whether `encrypted` decrypts to `text`; false when it does not decrypt. */
export function matchesEncrypted(text: string, encrypted: string, key: Uint8Array, owner: string): boolean {
  try {
    return decrypt(encrypted, key, owner) === text;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}
