import type { Store } from "../store/store.ts";

/** What the operations on offers need. */
export interface OfferDeps {
  store: Store;
  now: () => Date;
  /** Called after a commit that may have made work for the loops. */
  wake: () => void;
}
