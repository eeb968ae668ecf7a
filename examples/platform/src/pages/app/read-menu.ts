import type { NotificationReason } from "../../push/push-transport.ts";
import { eachOnce } from "../../worker-app/menu.ts";
import type { WorkerAppDeps } from "../../worker-app/worker-app-deps.ts";

/** What the notifications menu shows of one thing the worker was told. */
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
export async function readMenu(deps: WorkerAppDeps, workerId: string): Promise<MenuItem[]> {
  const told = eachOnce(await deps.feed.since(workerId)).reverse();
  if (told.length === 0) return [];
  const rows = await deps.store.db
    .selectFrom("recipients")
    .innerJoin("offers", "offers.id", "offer_id")
    .innerJoin("organisations", "organisations.id", "organisation_id")
    .select(["offer_id", "organisations.name", "response", "opened_at"])
    .where("worker_id", "=", workerId)
    .execute();
  const byOffer = new Map(rows.map((row) => [row.offer_id, row]));
  return told.map(({ id, reason, createdAt, offerId, offerTitle }) => {
    const { name = "", response = "none", opened_at: openedAt = null } = byOffer.get(offerId) ?? {};
    const isOpened = openedAt !== null;
    return { id, reason, createdAt, offerId, offerTitle, organisationName: name, response, isOpened };
  });
}
