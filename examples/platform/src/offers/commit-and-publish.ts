import { announcedIn } from "../signals/announce.ts";
import type { Signal } from "../signals/signal.ts";
import type { Trx } from "../store/store.ts";
import type { OfferDeps } from "./offer-deps.ts";

/** Runs `work` in a transaction and, after its commit, publishes the signals announced in it. */
export async function commitAndPublish<T>(
  { store, signals }: Pick<OfferDeps, "store" | "signals">,
  work: (trx: Trx) => Promise<T>,
): Promise<T> {
  let announced: readonly Signal[] = [];
  const result = await store.transaction(async (trx) => {
    const done = await work(trx);
    announced = announcedIn(trx);
    return done;
  });
  signals.publish(announced);
  return result;
}
