import type { EventStreams } from "../http/event-stream.ts";
import type { ReadJson } from "../http/read-json.ts";
import type { OfferDeps } from "../offers/offer-deps.ts";
import type { NotificationFeed } from "../push/notification-feed.ts";

export interface WorkerAppDeps extends OfferDeps {
  readJson: ReadJson;
  feed: NotificationFeed;
  streams: EventStreams;
}
