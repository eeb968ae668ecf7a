import type { ReadJson } from "../http/read-json.ts";
import type { OfferDeps } from "../offers/offer-deps.ts";
import type { Outbound, Sign } from "../outbound/outbound.ts";

export interface PortalDeps extends OfferDeps {
  readJson: ReadJson;
  outbound: Outbound;
  sign: Sign;
  /** Seals the secrets of endpoints at rest. */
  sealKey: Uint8Array;
  /** Development: the mailbox shows everybody's mail, not only that of the person who looks. */
  showAllMail: boolean;
}
