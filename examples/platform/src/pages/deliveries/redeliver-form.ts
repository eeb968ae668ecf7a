import { redeliver } from "../../delivery/redeliver.ts";
import { pathParameter } from "../../http/path-parameter.ts";
import { readDelivery } from "../../portal/read-deliveries.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { PageAnswer } from "../frame/page-answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { PortalVisit } from "../portal-audience.ts";

const notices = {
  redelivered: "It is delivered again.",
  not_dead: "It was not given up, so there is nothing to deliver again.",
  superseded:
    "A later response of the same worker to the same offer was delivered, or is about to be; it must stay the last.",
};

/** `POST /deliveries/{id}/redeliver` */
export const redeliverForm =
  (deps: PageDeps) =>
  async ({ who: { organisationId }, request }: PortalVisit): Promise<PageAnswer> => {
    const id = pathParameter(request, "id");
    if ((await readDelivery(deps, organisationId, id)) === undefined)
      throw new ProblemError("delivery_not_found", "Your organisation has no delivery with this id.");
    const redelivery = await redeliver(deps, organisationId, id);
    deps.wake();
    return { to: `/deliveries/${encodeURIComponent(id)}`, notice: notices[redelivery] };
  };
