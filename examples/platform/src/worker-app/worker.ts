import type { OfferDeps } from "../offers/commit-and-publish.ts";
import type { NotificationFeed } from "../push/notification-feed.ts";
import type { Role } from "../session/role.ts";
import type { SessionDeps } from "../session/session-methods.ts";

export interface WorkerAppDeps extends OfferDeps, SessionDeps {
  feed: NotificationFeed;
}

/** Signs in with the worker's id. */
export const worker: Role = {
  owner: "worker_id",
  name: "workerId",
  sessionPath: "/worker-app/session",
  find: ({ db }, id) =>
    db.selectFrom("workers").select(["id", "password_hash"]).where("id", "=", id).executeTakeFirst(),
};
