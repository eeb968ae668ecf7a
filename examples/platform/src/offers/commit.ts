import type { Trx } from "../store/store.ts";
import type { OfferDeps } from "./offer-deps.ts";

/** Commits what `work` does, then wakes the loops: there may be something to deliver. */
export async function commit<T>({ store, wake }: OfferDeps, work: (trx: Trx) => Promise<T>): Promise<T> {
  const result = await store.transaction(work);
  wake();
  return result;
}
