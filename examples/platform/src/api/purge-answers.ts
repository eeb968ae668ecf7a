import type { OfferDeps } from "../offers/offer-deps.ts";

/** D-40 */
const keepMs = 24 * 60 * 60 * 1_000;

/** Forgets the idempotency keys whose time is over. */
export async function purgeAnswers({ store, now }: Pick<OfferDeps, "store" | "now">): Promise<false> {
  const before = new Date(now().getTime() - keepMs);
  await store.db.deleteFrom("idempotency_keys").where("created_at", "<=", before).execute();
  return false;
}
