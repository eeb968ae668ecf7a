import type { Listed, ListPage } from "../../lists/list-cursor.ts";
import type { NotificationReason } from "../../push/push-transport.ts";
import { listMenu } from "../../worker-app/list-menu.ts";
import type { WorkerAppDeps } from "../../worker-app/worker-app-deps.ts";

/** An entry of the notifications menu. */
export interface MenuItem {
  id: number;
  reason: NotificationReason;
  createdAt: Date;
  offerId: string;
  offerTitle: string;
  organisationName: string;
  response: string;
  isOpened: boolean;
}

/** The menu, newest first. */
export async function readMenu(
  { store }: Pick<WorkerAppDeps, "store">,
  workerId: string,
  part: ListPage,
): Promise<Listed<MenuItem>> {
  const { rows: notifications, next } = await listMenu(store, workerId, part);
  if (notifications.length === 0) return { rows: [], next };
  const offerIds = notifications.map(({ offerId }) => offerId);
  const rows = await store.db
    .selectFrom("recipients")
    .innerJoin("offers", "offers.id", "offer_id")
    .innerJoin("organisations", "organisations.id", "organisation_id")
    .select(["offer_id", "organisations.name", "response", "opened_at"])
    .where("worker_id", "=", workerId)
    .where("offer_id", "in", offerIds)
    .execute();
  const byOffer = new Map(rows.map((row) => [row.offer_id, row]));
  const items = notifications.map(({ id, reason, createdAt, offerId, offerTitle }) => {
    const { name = "", response = "none", opened_at: openedAt = null } = byOffer.get(offerId) ?? {};
    const isOpened = openedAt !== null;
    return { id, reason, createdAt, offerId, offerTitle, organisationName: name, response, isOpened };
  });
  return { rows: items, next };
}
