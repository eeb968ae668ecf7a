import type { OfferDeps } from "../offers/offer-deps.ts";
import type { NotificationFeed } from "../push/notification-feed.ts";
import type { SessionDeps } from "../session/session-methods.ts";

export interface WorkerAppDeps extends OfferDeps, SessionDeps {
  feed: NotificationFeed;
}
