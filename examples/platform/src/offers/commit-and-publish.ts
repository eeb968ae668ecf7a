import { announcedIn } from "../store/signals/announce.ts";
import type { Signals } from "../store/signals/open-signals.ts";
import type { Signal } from "../store/signals/signal.ts";
import type { Store, Trx } from "../store/store.ts";

export interface OfferDeps {
  store: Store;
  now: () => Date;
  /** Receives the changes of each commit; they start deliveries and update pages at once. */
  signals: Pick<Signals, "publish">;
  /** The URL of a page, for mails. Never of the Host header, which a caller chooses. */
  linkTo: (path: string) => string;
}

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
