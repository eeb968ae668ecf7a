import type { Signals } from "../store/signals.ts";
import type { Store } from "../store/store.ts";

/** Dependencies of every operation on offers. */
export interface OfferDeps {
  store: Store;
  now: () => Date;
  /** For changes made outside a transaction; the store publishes the signals of a transaction. */
  signals: Pick<Signals, "publish">;
  /** The URL of a page, for mails. Never built from the Host header, which a caller chooses. */
  linkTo: (path: string) => string;
}
