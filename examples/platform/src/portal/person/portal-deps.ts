import type { OfferDeps } from "../../offers/offer-deps.ts";
import type { Outbound, Sign } from "../../outbound/outbound.ts";
import type { SessionDeps } from "../../session/session-methods.ts";

export interface PortalDeps extends OfferDeps, SessionDeps {
  outbound: Outbound;
  sign: Sign;
  /** Seals the secrets of endpoints at rest. */
  sealKey: Uint8Array;
  /** Told of what failed although the answer goes on without it. */
  onError: (error: unknown) => void;
  /** Development: the mailbox shows everybody's mail, not only that of the person who looks. */
  showAllMail: boolean;
}
