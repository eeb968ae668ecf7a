import type { Signals } from "../signals/open-signals.ts";
import type { Store } from "../store/store.ts";

/** What the operations on offers need. */
export interface OfferDeps {
  store: Store;
  now: () => Date;
  /** Told after each commit what it changed: else nobody delivers it before somebody looks, and no page shows it. */
  signals: Pick<Signals, "publish">;
}
