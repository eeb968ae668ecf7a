import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";
import { StoreError } from "./store-error.ts";

const version = "v1";
const nonceBytes = 12;
const tagBytes = 16;

/** Node makes one of a key's bytes for every use, and that takes most of the time; every delivery opens a secret. */
const keyObjects = new WeakMap<Uint8Array, KeyObject>();

function keyObjectOf(key: Uint8Array): KeyObject {
  const known = keyObjects.get(key) ?? createSecretKey(key);
  keyObjects.set(key, known);
  return known;
}

/**
 * Encrypts `text` with AES-256-GCM for a column of the store. The same text sealed twice looks different.
 *
 * @param key 32 bytes, see `sealKey`
 * @param owner the id of the row it belongs to: a sealed text copied to another row does not open
 */
export function seal(text: string, key: Uint8Array, owner: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv("aes-256-gcm", keyObjectOf(key), nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([nonce, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${version}.${sealed.toString("base64url")}`;
}

/** @throws {StoreError} `seal_key_unusable` when the key or the owner is another one, or the text was changed */
export function unseal(sealed: string, key: Uint8Array, owner: string): string {
  try {
    const [prefix, encoded = ""] = sealed.split(".");
    if (prefix !== version) throw new Error("unknown version");
    const bytes = Buffer.from(encoded, "base64url");
    const nonce = bytes.subarray(0, nonceBytes);
    const decipher = createDecipheriv("aes-256-gcm", keyObjectOf(key), nonce, { authTagLength: tagBytes });
    decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-tagBytes));
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString("utf8");
  } catch (cause) {
    throw new StoreError("seal_key_unusable", "a sealed secret does not open; is this the key it was sealed with?", {
      cause,
    });
  }
}

/** Whether `sealed` holds `text`; not when it does not open. */
export function isSealed(text: string, sealed: string, key: Uint8Array, owner: string): boolean {
  try {
    return unseal(sealed, key, owner) === text;
  } catch (error) {
    if (error instanceof StoreError) return false;
    throw error;
  }
}
