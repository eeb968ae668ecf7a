import { type Redelivery, redeliver } from "../../delivery/redeliver.ts";
import { pathParameter } from "../../http/path-parameter.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { PageResult } from "../routing/page-result.ts";

const notices: Record<Exclude<Redelivery["outcome"], "unknown">, string> = {
  redelivered: "It is delivered again.",
  waiting: "It still waits, and is delivered anyway.",
  superseded: "There is a later response of the same worker to the same offer; that must stay the last word.",
  repeated: "Another delivery repeats it already.",
};

/** `POST /deliveries/{id}/redeliver`: leads to what is delivered now. */
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
