import type { Publisher } from "../store/announce.ts";
import type { Store } from "../store/store.ts";

/** What every operation on offers needs. */
export interface OfferDeps {
  store: Store;
  now: () => Date;
  /** Receives the changes of each commit: deliveries start and pages update at once. */
  signals: Publisher;
  /** The URL of a page, for mails. Never built from the Host header, which a caller chooses. */
  linkTo: (path: string) => string;
}
