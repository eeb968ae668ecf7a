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
    // What no form of ours sends counts as the least.
    const which = Object.hasOwn(redeliveryChoices, given) ? (given as RedeliveryChoice) : "dead";
    const { data: since } = instantField.safeParse(localInUtc(typed));
    if (since === undefined) {
      const error = "Say since when, such as 2099-05-01T16:00.";
      return { ...(await showDeliveries(deps, context, { since: typed, which, error })), status: 422 };
    }
    const { states } = redeliveryChoices[which];
    const { redelivered, superseded } = await redeliverMany(deps.store, organisationId, { since, states });
    deps.signals.publish({ topic: "delivery", organisationId });
    const left = superseded === 0 ? "" : ` Left alone, since a later response must stay the last word: ${superseded}.`;
    return { to: "/deliveries", notice: `Delivered again: ${counted(redelivered, "event")}.${left}` };
  };
