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
  const secret = decrypt(encrypted, key, organisationId);
  if (previous === null || until === null || until <= now) return { secret };
  return { secret, previousSecret: decrypt(previous, key, organisationId) };
}
