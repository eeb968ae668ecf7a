import type { Signals } from "../store/signals.ts";
import type { Store } from "../store/store.ts";

/** The dependencies of operations on offers. */
export interface OfferDeps {
  store: Store;
  now: () => Date;
  /** Publishes signals for changes outside a transaction. The store publishes the signals that a transaction announces. */
  signals: Pick<Signals, "publish">;
  /** Returns a page's URL for emails. Never uses the Host header, which the caller controls. */
  linkTo: (path: string) => string;
}
