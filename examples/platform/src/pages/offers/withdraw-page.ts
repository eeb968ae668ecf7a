import { html } from "hono/html";
import { pathParameter } from "../../http/path-parameter.ts";
import { applyAction } from "../../offers/apply-action.ts";
import { commitAndPublish } from "../../offers/commit-and-publish.ts";
import { refusalProblem } from "../../offers/refusal-problem.ts";
import { readOfferDetails } from "../../portal/offers/offer-details.ts";
import { codeSamples } from "../layout/code-samples.ts";
import { counted } from "../layout/counted.ts";
import { formTokenField } from "../layout/form-token.ts";
import type { PortalContext } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import type { PageResult } from "../routing/page-result.ts";
import { publicAddress } from "../routing/public-address.ts";
import { withdrawalSamples } from "./offer-samples.ts";

/** `GET /offers/{id}/withdraw`: asks for confirmation, since a withdrawal cannot be undone. */
export const withdrawPage =
  (deps: PageDeps) =>
  async (context: PortalContext): Promise<PageResult> => {
    const offer = await readOfferDetails(deps, context.user.organisationId, pathParameter(context.request, "id"));
    const path = `/offers/${encodeURIComponent(offer.id)}`;
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
          It was addressed to ${counted(applied + rejected + none, "worker")}, of whom ${applied} applied. All of them are
          notified of the withdrawal. ${offer.complete && "The offer is complete: the selected workers lose the work. "}This cannot be undone.
        </p>
        <div class="row">
          <button class="danger">Withdraw the offer</button>
          <a class="button quiet" href="${path}">Keep it</a>
        </div>
      </form>
      ${codeSamples(withdrawalSamples(publicAddress(deps, context.request), offer.id))}`;
    return { title: `Withdraw ${offer.title}`, main };
  };

/** `POST /offers/{id}/withdraw` */
export const withdrawForm =
  (deps: PageDeps) =>
  async ({ user: { organisationId }, request }: PortalContext): Promise<PageResult> => {
    const id = pathParameter(request, "id");
    const result = await commitAndPublish(deps, (trx) =>
      applyAction(trx, deps, { organisationId }, id, { type: "withdraw" }),
    );
    if (result !== "done") throw refusalProblem(result);
    return { to: `/offers/${encodeURIComponent(id)}`, notice: "The offer is withdrawn. All recipients are notified." };
  };
