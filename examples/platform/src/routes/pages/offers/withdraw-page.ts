import { applyAction, refusalProblem } from "../../../offers/apply-action.ts";
import { requireOfferOwner } from "../../portal/offers/owner-of-offer.ts";
import { readOfferDetails } from "../../portal/offers/read-offers.ts";
import { formTokenField } from "../layout/field.ts";
import { formatCount } from "../layout/labels.ts";
import { html } from "../layout/markup.ts";
import type { PortalForm, PortalPage } from "../sections/portal-section.ts";
import { withdrawalSamples } from "./code-samples.ts";

/** `GET /offers/{id}/withdraw`: asks for confirmation, since a withdrawal cannot be undone. */
export const withdrawPage: PortalPage = async (context) => {
  const offer = await readOfferDetails(context.deps, context.user, context.id);
  const path = `/offers/${encodeURIComponent(offer.id)}`;
  // `widthdrawn` is the contract's spelling.
  if (offer.widthdrawn) return { to: path };
  const { applied, rejected, none } = offer.responses;
  const main = html`
    <header class="page-head">
      <div>
        <p class="crumb"><a href="${path}">${offer.title}</a></p>
        <h1>Withdraw this offer?</h1>
      </div>
    </header>
    <form method="post" action="${path}/withdraw" class="panel">
      ${formTokenField(context)}
      <p>
        This offer was sent to ${formatCount(applied + rejected + none, "worker")}, and ${applied} applied. Every worker will be notified of the
        withdrawal. ${offer.complete && "The offer is complete, so the selected workers will lose the work. "}This cannot be undone.
      </p>
      <div class="row">
        <button class="danger">Withdraw the offer</button>
        <a class="button quiet" href="${path}">Keep it</a>
      </div>
    </form>
    ${withdrawalSamples(context, offer.id)}`;
  return { title: `Withdraw ${offer.title}`, main };
};

/** `POST /offers/{id}/withdraw` */
export const handleWithdraw: PortalForm = async ({ deps, user, id }) => {
  const organisationId = await requireOfferOwner(deps, user, id);
  const result = await deps.store.transaction((trx) =>
    applyAction(trx, deps, { organisationId }, id, { type: "withdraw" }),
  );
  if (result !== "done") throw refusalProblem(result);
  return {
    to: `/offers/${encodeURIComponent(id)}`,
    notice: "The offer was withdrawn. All recipients will be notified.",
  };
};
