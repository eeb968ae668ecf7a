import { ProblemError } from "../problem/problem-error.ts";
import type { Trx } from "../store/store.ts";

/** An idempotency key and the request it was used for. */
export interface IdempotencyRecord {
  organisationId: string;
  /** The key's SHA-256. */
  keyHash: string;
  /** Hash of the request, which distinguishes a retry from a different request. */
  fingerprint: string;
  now: Date;
}

export interface Idempotent<T> {
  result: T;
  /** Whether `result` is that of an earlier request, and there was no effect now. */
  replayed: boolean;
}

/** D-40 */
const keptMs = 24 * 60 * 60 * 1_000;

/** Keys used at or before the returned time have expired. */
export const expiredSince = (now: Date): Date => new Date(now.getTime() - keptMs);

/**
 * Runs an effect once per idempotency key, in the caller's transaction. The result is stored with the key and returned for
 * the same key until it expires. An effect that throws leaves the key unused.
 *
 * @param effect returns plain data
 * @throws {ProblemError} `idempotency_key_reused` when a different request used the key
 */
export async function idempotent<T>(
  trx: Trx,
  key: IdempotencyRecord,
  effect: () => Promise<T>,
): Promise<Idempotent<T>> {
  const earlier = await acquire(trx, key);
  if (earlier !== undefined) return { result: resultOf<T>(earlier, key), replayed: true };
  const result = await effect();
  await trx
    .updateTable("idempotency_keys")
    .set({ result: JSON.stringify(result) })
    .where("organisation_id", "=", key.organisationId)
    .where("key_hash", "=", key.keyHash)
    .execute();
  return { result, replayed: false };
}

interface Use {
  fingerprint: string;
  result: string;
}

/** @returns the earlier use of the key; undefined when this transaction acquired it */
async function acquire(trx: Trx, key: IdempotencyRecord): Promise<Use | undefined> {
  // Waits for a transaction that holds the key: afterwards its result is stored, or the key is free.
  const inserted = await insertKey(trx, key)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  if (inserted !== undefined) return undefined;
  const earlier = await findUse(trx, key).executeTakeFirst();
  if (earlier !== undefined) return earlier;
  // The key has expired, and retention may delete it at any time. This statement inserts it, takes it over, or, when another
  // transaction did so first, locks it, so that it is not deleted before it is read.
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

const useOf = ({ fingerprint, now }: IdempotencyRecord) => ({ fingerprint, result: "", created_at: now });

const insertKey = (trx: Trx, key: IdempotencyRecord) =>
  trx
    .insertInto("idempotency_keys")
    .values({ organisation_id: key.organisationId, key_hash: key.keyHash, ...useOf(key) })
    .returning("key_hash");

const findUse = (trx: Trx, { organisationId, keyHash, now }: IdempotencyRecord) =>
  trx
    .selectFrom("idempotency_keys")
    .select(["fingerprint", "result"])
    .where("organisation_id", "=", organisationId)
    .where("key_hash", "=", keyHash)
    .where("created_at", ">", expiredSince(now));

function resultOf<T>(earlier: Use, { fingerprint }: IdempotencyRecord): T {
  if (earlier.fingerprint === fingerprint) return JSON.parse(earlier.result);
  throw new ProblemError("idempotency_key_reused", "Another request used this key; use a new key for every request.");
}
