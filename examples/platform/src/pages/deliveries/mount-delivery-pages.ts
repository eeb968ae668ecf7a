import type { Router } from "express";
import { defineRoutes } from "../../http/define-routes.ts";
import { portalSection } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { deliveriesPage } from "./deliveries-page.ts";
import { deliveryPage } from "./delivery-page.ts";
import { redeliverForm } from "./redeliver-form.ts";
import { redeliverManyForm } from "./redeliver-many-form.ts";

/** Deliveries of webhooks, for integrators. */
export function mountDeliveryPages(pages: Router, deps: PageDeps): void {
  const { show, act } = pageRoutes(deps, portalSection);
  defineRoutes(pages, "/deliveries", { get: show(deliveriesPage(deps)) });
  // Before `:id`, which would match it.
  // A rejected form is shown at this path; a reload then shows the deliveries.
  const toDeliveries = show(() => ({ to: "/deliveries" }));
  defineRoutes(pages, "/deliveries/redeliver", { get: toDeliveries, post: act(redeliverManyForm(deps)) });
  defineRoutes(pages, "/deliveries/:id", { get: show(deliveryPage(deps)) });
  defineRoutes(pages, "/deliveries/:id/redeliver", { post: act(redeliverForm(deps)) });
}
