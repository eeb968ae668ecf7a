import { epochMicroseconds, olderThan } from "../../http/keyset.ts";
import { createListCursor, type ListPage, type PagedList } from "../../http/list-cursor.ts";
import type { Notification } from "../../push/push-transport.ts";
import { placeName } from "../../store/place-name.ts";
import type { Store } from "../../store/store.ts";

const cursor = createListCursor("notifications", /^\d{1,15}$/);

export type MenuItem = Awaited<ReturnType<typeof readMenu>>["rows"][number];

/** Reads the worker's notifications menu, newest first. Notifications of the same news to several devices share one entry (D-48). */
async function readMenu({ store }: { store: Store }, { id: workerId }: { id: string }, { before, limit }: ListPage) {
  const notifications = await store.db
    .selectFrom(({ selectFrom }) =>
      selectFrom("notifications")
        .distinctOn(["offer_id", "reason"])
        .selectAll()
        .where("worker_id", "=", workerId)
        .orderBy("offer_id")
        .orderBy("reason")
        .orderBy("created_at")
        .orderBy("id")
        .as("notifications"),
    )
    .innerJoin("offers", "offers.id", "notifications.offer_id")
    .innerJoin("organisations", "organisations.id", "offers.organisation_id")
    .innerJoin("recipients", (join) =>
      join
        .onRef("recipients.offer_id", "=", "notifications.offer_id")
        .onRef("recipients.worker_id", "=", "notifications.worker_id"),
    )
    .select(["notifications.id", "notifications.offer_id as offerId", "offers.title as offerTitle"])
    .select(["offers.events", placeName.as("place")])
    .select(["notifications.reason", "notifications.created_at as createdAt"])
    .select(["organisations.name as organisationName", "recipients.response", "recipients.opened_at as openedAt"])
    .select(epochMicroseconds("notifications.created_at").as("position"))
    .where(olderThan(["notifications.created_at", "notifications.id"], before))
    .orderBy("notifications.created_at", "desc")
    .orderBy("notifications.id", "desc")
    .limit(limit + 1)
    .execute();
  return cursor.toPage(notifications, limit, ({ position, id }) => ({ position, id: String(id) }));
}

export const menu = { cursor, read: readMenu };

type MenuNotification = Pick<Notification, "id" | "offerId" | "offerTitle" | "reason" | "createdAt">;

/** Converts a notification to the JSON of its menu entry. */
export const toMenuEntry = ({ id, offerId, offerTitle, reason, createdAt }: MenuNotification) => ({
  id,
  offerId,
  offerTitle,
  reason,
  successful: toSuccessful(reason),
  createdAt,
});

/** Returns whether the worker got the work, or null if the notification does not report it. */
function toSuccessful(reason: MenuNotification["reason"]): boolean | null {
  if (reason === "successful") return true;
  return reason === "unsuccessful" ? false : null;
}

/** The menu, with entries as JSON. */
export const menuEntries: PagedList<{ store: Store }, { id: string }, unknown> = {
  cursor,
  async read(deps, worker, page) {
    const { rows, next } = await readMenu(deps, worker, page);
    return { rows: rows.map(toMenuEntry), next };
  },
};
