import type { Signals } from "../store/signals.ts";
import type { Store } from "../store/store.ts";

/** What every operation on offers needs. */
export interface OfferDeps {
  store: Store;
  now: () => Date;
  /** For changes that are made outside a transaction; the store publishes what a transaction announces. */
  signals: Pick<Signals, "publish">;
  /** The URL of a page, for mails. Never built from the Host header, which a caller chooses. */
  linkTo: (path: string) => string;
}
