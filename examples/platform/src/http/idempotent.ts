import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Trx } from "../store/store.ts";
import type { Tables } from "../store/tables.ts";
import { ProblemError } from "./problem.ts";

/** An idempotency key and the request it was used for. */
export interface IdempotencyRecord {
  organisationId: string;
  /** The SHA-256 hash of the key. */
  keyHash: string;
  /** A hash that distinguishes a retry from a different request. */
  fingerprint: string;
  now: Date;
}

export interface Idempotent<T> {
  result: T;
  /** Whether `result` is from an earlier request. If so, the effect did not run again. */
  replayed: boolean;
}

/** How long a key is valid after its first use (D-40). */
const validForMs = 24 * 60 * 60 * 1_000;

/** Returns the expiry cutoff. A key has expired if its first use was at or before this time. */
const expiryCutoff = (now: Date): Date => new Date(now.getTime() - validForMs);

/** Deletes expired keys, which already count as absent (D-40). */
export const deleteExpiredKeys = (db: Kysely<Tables>, now: Date) =>
  db.deleteFrom("idempotency_keys").where("created_at", "<=", expiryCutoff(now)).execute();

/**
 * Runs `effect` once per idempotency key, in the caller's transaction. Stores the result with the key, and returns it for
 * the same key until the key expires. If `effect` throws, the key stays unused.
 *
 * @param effect returns plain data
 * @throws {ProblemError} `idempotency_key_reused` if a different request used the key
 */
export async function runIdempotently<T>(
  trx: Trx,
  { organisationId, keyHash, fingerprint, now }: IdempotencyRecord,
  effect: () => Promise<T>,
): Promise<Idempotent<T>> {
  const newUse = { fingerprint, result: "", created_at: now };
  const insertOrUpdate = (changes: { result: string | RawBuilder<string> }) =>
    trx
      .insertInto("idempotency_keys")
      .values({ organisation_id: organisationId, key_hash: keyHash, ...newUse })
      .onConflict((conflict) => conflict.columns(["organisation_id", "key_hash"]).doUpdateSet(changes))
      .returning(["fingerprint", "result", "created_at"])
      .executeTakeFirstOrThrow();
  // This waits for any other transaction that uses the key, and locks an earlier use, so that retention does not delete it.
  let storedUse = await insertOrUpdate({ result: sql`idempotency_keys.result` });
  if (storedUse.created_at <= expiryCutoff(now)) storedUse = await insertOrUpdate(newUse);
  if (storedUse.fingerprint !== fingerprint)
    throw new ProblemError("idempotency_key_reused", "Another request used this key; use a new key for every request.");
  // The result of a new use is empty until it is stored below.
  if (storedUse.result !== "") return { result: JSON.parse(storedUse.result), replayed: true };
  const result = await effect();
  await trx
    .updateTable("idempotency_keys")
    .set({ result: JSON.stringify(result) })
    .where("organisation_id", "=", organisationId)
    .where("key_hash", "=", keyHash)
    .execute();
  return { result, replayed: false };
}
