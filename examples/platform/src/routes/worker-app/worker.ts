import { toSignInAddress } from "../../accounts/invitations.ts";
import type { Role } from "../../accounts/sessions.ts";
import type { SessionDeps } from "../../accounts/signed-in-routes.ts";
import type { OfferDeps } from "../../offers/offer-deps.ts";
import type { NotificationFeed } from "../../push/notification-feed.ts";

export interface WorkerAppDeps extends OfferDeps, SessionDeps {
  feed: NotificationFeed;
}

/** A worker, who signs in with their id, or with the email address that was invited (D-122). */
export const worker: Role = {
  owner: "worker_id",
  table: "workers",
  name: "workerId",
  sessionPath: "/worker-app/session",
  lifetime: { ms: 30 * 24 * 60 * 60 * 1_000, isSliding: true },
  find: ({ db }, id) =>
    db
      .selectFrom("workers")
      .select(["id", "password_hash"])
      .where(({ eb, or }) => or([eb("id", "=", id), eb("email_address", "=", toSignInAddress(id))]))
      // If one worker's id equals another worker's email address, the id takes precedence.
      .orderBy(({ eb }) => eb("id", "=", id), "desc")
      .limit(1)
      .executeTakeFirst(),
};
