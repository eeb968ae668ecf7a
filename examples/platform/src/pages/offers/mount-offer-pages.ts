import type { Router } from "express";
import { defineRoutes } from "../../http/define-routes.ts";
import { pathParameter } from "../../http/path-parameter.ts";
import { type PortalContext, portalSection } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { completeForm } from "./complete-form.ts";
import { createOfferForm, newOfferPage } from "./new-offer-page.ts";
import { offerPage } from "./offer-page.ts";
import { offersPage } from "./offers-page.ts";
import { withdrawForm, withdrawPage } from "./withdraw-page.ts";

/** Offers, for hirers. */
export function mountOfferPages(pages: Router, deps: PageDeps): void {
  const { show, act } = pageRoutes(deps, portalSection);
  defineRoutes(pages, "/offers", { get: show(offersPage(deps)) });
  // Before `:id`, which would match it.
  defineRoutes(pages, "/offers/new", { get: show(newOfferPage(deps)), post: act(createOfferForm(deps)) });
  defineRoutes(pages, "/offers/:id", { get: show(offerPage(deps)) });
  // A rejected form is shown at this path; a reload then shows the offer.
  const toOffer = ({ request }: PortalContext) => ({
    to: `/offers/${encodeURIComponent(pathParameter(request, "id"))}`,
  });
  defineRoutes(pages, "/offers/:id/complete", { get: show(toOffer), post: act(completeForm(deps)) });
  defineRoutes(pages, "/offers/:id/withdraw", { get: show(withdrawPage(deps)), post: act(withdrawForm(deps)) });
}
