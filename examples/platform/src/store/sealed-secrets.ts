import { unseal } from "./seal.ts";

/** An endpoint's secrets as its row has them. */
export interface SealedSecrets {
  sealed_secret: string;
  previous_sealed_secret: string | null;
  previous_secret_until: Date | null;
}

export interface Secrets {
  secret: string;
  /** The one before the last rotation, while its overlap lasts (D-75). */
  previousSecret?: string;
}

/**
 * Opens the secrets that count at `now`.
 *
 * @throws {StoreError} `seal_key_unusable`
 */
export function openSecrets(row: SealedSecrets, key: Uint8Array, organisationId: string, now: Date): Secrets {
  const { sealed_secret: sealed, previous_sealed_secret: previous, previous_secret_until: until } = row;
  const secret = unseal(sealed, key, organisationId);
  if (previous === null || until === null || until <= now) return { secret };
  return { secret, previousSecret: unseal(previous, key, organisationId) };
}
