import { decrypt } from "./encrypt.ts";

/** An endpoint's secrets as stored. */
export interface EncryptedSecrets {
  encrypted_secret: string;
  previous_encrypted_secret: string | null;
  previous_secret_until: Date | null;
}

export interface Secrets {
  secret: string;
  /** The one before the last rotation, during the overlap (D-75). */
  previousSecret?: string;
}

/**
 * Decrypts the secrets that are valid at `now`.
 *
 * @throws {StoreError} `invalid_encryption_key`
 */
export function decryptSecrets(row: EncryptedSecrets, key: Uint8Array, organisationId: string, now: Date): Secrets {
  const { encrypted_secret: encrypted, previous_encrypted_secret: previous, previous_secret_until: until } = row;
  const secret = decryptOnce(encrypted, key, organisationId);
  if (previous === null || until === null || until <= now) return { secret };
  return { secret, previousSecret: decryptOnce(previous, key, organisationId) };
}

const maxDecrypted = 1_000;
/** Per key, in the order of their last use. To decrypt one took a tenth of the CPU of a delivery. */
const decrypted = new WeakMap<Uint8Array, Map<string, string>>();

function decryptOnce(encrypted: string, key: Uint8Array, organisationId: string): string {
  const secrets = decrypted.get(key) ?? new Map<string, string>();
  decrypted.set(key, secrets);
  const id = `${organisationId} ${encrypted}`;
  const secret = secrets.get(id) ?? decrypt(encrypted, key, organisationId);
  secrets.delete(id);
  secrets.set(id, secret);
  const [oldest] = secrets.keys();
  if (secrets.size > maxDecrypted && oldest !== undefined) secrets.delete(oldest);
  return secret;
}
