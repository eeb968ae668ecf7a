import { type Redelivery, redeliver } from "../../delivery/redeliver.ts";
import { pathParameter } from "../../http/path-parameter.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { PageResult } from "../routing/page-result.ts";

const notices: Record<Exclude<Redelivery["outcome"], "unknown">, string> = {
  redelivered: "The event is redelivered.",
  waiting: "The delivery is still pending.",
  superseded: "A later response of the same worker to the same offer superseded it.",
  repeated: "It was already redelivered.",
};

/** `POST /deliveries/{id}/redeliver`: redirects to the new delivery. */
export const redeliverForm =
  (deps: PageDeps) =>
  async ({ user: { organisationId }, request }: PortalContext): Promise<PageResult> => {
    const id = pathParameter(request, "id");
    const redelivery = await redeliver(deps.store, organisationId, id);
    if (redelivery.outcome === "unknown")
      throw new ProblemError("delivery_not_found", "Your organisation has no delivery with this id.");
    deps.signals.publish({ topic: "delivery", organisationId });
    const now = redelivery.outcome === "redelivered" ? redelivery.id : id;
    return { to: `/deliveries/${encodeURIComponent(now)}`, notice: notices[redelivery.outcome] };
  };
