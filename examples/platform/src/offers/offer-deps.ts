import type { Signals } from "../signals/open-signals.ts";
import type { Store } from "../store/store.ts";

export interface OfferDeps {
  store: Store;
  now: () => Date;
  /** Receives the changes of each commit; they start deliveries and update pages at once. */
  signals: Pick<Signals, "publish">;
}
