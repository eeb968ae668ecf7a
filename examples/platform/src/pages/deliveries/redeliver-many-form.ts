import { redeliverMany } from "../../delivery/redeliver-many.ts";
import { instantField } from "../../validation/instant-field.ts";
import { counted } from "../layout/counted.ts";
import { localInUtc } from "../layout/local-in-utc.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { PageResult } from "../routing/page-result.ts";
import { showDeliveries } from "./deliveries-page.ts";
import { type RedeliveryChoice, redeliveryChoices } from "./redeliver-many-section.ts";

/** `POST /deliveries/redeliver` */
export const redeliverManyForm =
  (deps: PageDeps) =>
  async (context: PortalContext, form: URLSearchParams): Promise<PageResult> => {
    const { organisationId } = context.user;
    const typed = form.get("since") ?? "";
    const given = form.get("which") ?? "";
    // An unknown value is treated as the default.
    const which = Object.hasOwn(redeliveryChoices, given) ? (given as RedeliveryChoice) : "dead";
    const { data: since } = instantField.safeParse(localInUtc(typed));
    if (since === undefined) {
      const error = "Enter a time, such as 2099-05-01T16:00.";
      return { ...(await showDeliveries(deps, context, { since: typed, which, error })), status: 422 };
    }
    const { states } = redeliveryChoices[which];
    const { redelivered, superseded } = await redeliverMany(deps.store, organisationId, { since, states });
    deps.signals.publish({ topic: "delivery", organisationId });
    const left = superseded === 0 ? "" : ` Skipped, because a later response superseded them: ${superseded}.`;
    return { to: "/deliveries", notice: `Redelivered: ${counted(redelivered, "event")}.${left}` };
  };
