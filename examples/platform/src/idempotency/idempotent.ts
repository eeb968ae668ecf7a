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
  const earlier = await claim(trx, key);
  if (earlier !== undefined) return { result: resultOf<T>(earlier, key), isRepeat: true };
  const result = await effect();
  await trx
    .updateTable("idempotency_keys")
    .set({ answer: JSON.stringify(result) })
    .where("organisation_id", "=", key.organisationId)
    .where("key_hash", "=", key.keyHash)
    .execute();
  return { result, isRepeat: false };
}

interface Use {
  fingerprint: string;
  answer: string;
}

/** @returns the use that the key had before; undefined when it is this transaction's */
async function claim(trx: Trx, key: OnceKey): Promise<Use | undefined> {
  // Waits while another transaction holds the key: when that one is over, its result is there or the key is free.
  const inserted = await insertKey(trx, key)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (inserted !== undefined) return undefined;
  const earlier = await findUse(trx, key).executeTakeFirst();
  if (earlier !== undefined) return earlier;
  // It has expired, and retention may delete it at any time. This statement inserts it again, or takes it over, or else locks
  // it as it is, when another transaction did so first: then nothing deletes it before it is read.
  // https://www.postgresql.org/docs/current/sql-insert.html#SQL-ON-CONFLICT
  const taken = await insertKey(trx, key)
    .onConflict((conflict) =>
      conflict
        .columns(["organisation_id", "key_hash"])
        .doUpdateSet(useOf(key))
        .where("idempotency_keys.created_at", "<=", expiredSince(key.now)),
    )
    .executeTakeFirst();
  return taken === undefined ? await findUse(trx, key).executeTakeFirstOrThrow() : undefined;
}

const useOf = ({ fingerprint, now }: OnceKey) => ({ fingerprint, answer: "", created_at: now });

const insertKey = (trx: Trx, key: OnceKey) =>
  trx
    .insertInto("idempotency_keys")
    .values({ organisation_id: key.organisationId, key_hash: key.keyHash, ...useOf(key) })
    .returning("key_hash");

const findUse = (trx: Trx, { organisationId, keyHash, now }: OnceKey) =>
  trx
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "answer"])
    .where("organisation_id", "=", organisationId)
    .where("key_hash", "=", keyHash)
    .where("created_at", ">", expiredSince(now));

function resultOf<T>(earlier: Use, { fingerprint }: OnceKey): T {
  if (earlier.fingerprint === fingerprint) return JSON.parse(earlier.answer);
  throw new ProblemError("idempotency_key_reused", "Another request had this key; give every request one of its own.");
}
