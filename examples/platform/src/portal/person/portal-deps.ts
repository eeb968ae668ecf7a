import type { OfferDeps } from "../../offers/offer-deps.ts";
import type { Outbound, Sign } from "../../outbound/outbound.ts";
import type { SessionDeps } from "../../session/session-methods.ts";

export interface PortalDeps extends OfferDeps, SessionDeps {
  outbound: Outbound;
  sign: Sign;
  /** Encrypts the secrets of endpoints at rest. */
  encryptionKey: Uint8Array;
  /** Receives errors that do not fail the response. */
  onError: (error: unknown) => void;
  /** For development: the mailbox shows all mail, not only mail to the signed-in person. */
  showAllMail: boolean;
}
