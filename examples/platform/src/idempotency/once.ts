import { ProblemError } from "../problem/problem-error.ts";
import type { Trx } from "../store/store.ts";

export interface OnceKey {
  organisationId: string;
  /** The key's SHA-256. */
  keyHash: string;
  /** Of what is asked under the key, to tell a repeat from something else. */
  fingerprint: string;
  now: Date;
}

export interface Once<T> {
  result: T;
  /** Whether it had its effect before, and none this time. */
  isRepeat: boolean;
}

/**
 * Has an effect once for each key, in the caller's transaction: what came of it is kept with it, and given again to whoever
 * has the same key. An effect that throws leaves nothing behind, so its key stays free.
 *
 * @param effect whose result is plain data
 * @throws {ProblemError} `idempotency_key_reused` when something else was asked under the key
 */
export async function once<T>(trx: Trx, key: OnceKey, effect: () => Promise<T>): Promise<Once<T>> {
  const { organisationId, keyHash, fingerprint, now } = key;
  // Waits while another transaction holds the key: when that one is over, its answer is there or the key is free.
  const claimed = await trx
    .insertInto("idempotency_keys")
    .values({ organisation_id: organisationId, key_hash: keyHash, fingerprint, answer: "", created_at: now })
    .onConflict((conflict) => conflict.doNothing())
    .returning("key_hash")
    .executeTakeFirst();
  if (claimed === undefined) return { result: await kept<T>(trx, key), isRepeat: true };
  const result = await effect();
  await trx
    .updateTable("idempotency_keys")
    .set({ answer: JSON.stringify(result) })
    .where("organisation_id", "=", organisationId)
    .where("key_hash", "=", keyHash)
    .execute();
  return { result, isRepeat: false };
}

async function kept<T>(trx: Trx, { organisationId, keyHash, fingerprint }: OnceKey): Promise<T> {
  const first = await trx
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "answer"])
    .where("organisation_id", "=", organisationId)
    .where("key_hash", "=", keyHash)
    .executeTakeFirstOrThrow();
  if (first.fingerprint === fingerprint) return JSON.parse(first.answer);
  throw new ProblemError("idempotency_key_reused", "Another request had this key; give every request one of its own.");
}
