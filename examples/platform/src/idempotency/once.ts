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

/** D-40 */
const keptMs = 24 * 60 * 60 * 1_000;

/** Keys that were used then or before have expired at `now`. */
export const expiredSince = (now: Date): Date => new Date(now.getTime() - keptMs);

/**
 * Has an effect once for each key, in the caller's transaction: its result is kept with the key, and returned again for the
 * same key until that expires. An effect that throws leaves nothing behind, so its key stays free.
 *
 * @param effect whose result is plain data
 * @throws {ProblemError} `idempotency_key_reused` when something else was asked under the key
 */
export async function once<T>(trx: Trx, key: OnceKey, effect: () => Promise<T>): Promise<Once<T>> {
  const { organisationId, keyHash, fingerprint, now } = key;
  const use = { fingerprint, answer: "", created_at: now };
  // Waits while another transaction holds the key. A row that is there is locked by this statement, also where `where` keeps
  // it as it is: retention cannot delete it before it is read.
  // https://www.postgresql.org/docs/current/sql-insert.html#SQL-ON-CONFLICT
  const claimed = await trx
    .insertInto("idempotency_keys")
    .values({ organisation_id: organisationId, key_hash: keyHash, ...use })
    .onConflict((conflict) =>
      conflict
        .columns(["organisation_id", "key_hash"])
        .doUpdateSet(use)
        .where("idempotency_keys.created_at", "<=", expiredSince(now)),
    )
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
