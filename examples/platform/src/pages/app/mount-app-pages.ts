import { Router } from "express";
import { html } from "hono/html";
import { defineRoutes } from "../../http/define-routes.ts";
import { pathParameter } from "../../http/path-parameter.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import { errorPages } from "../routing/error-pages.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { signInRoutes, signOutRoute } from "../routing/sign-in-page.ts";
import { appLiveRoute } from "./app-live-route.ts";
import { type AppContext, appSection } from "./app-section.ts";
import { addContactForm, contactsPage } from "./contacts-page.ts";
import { devicesPage, removeDeviceForm } from "./devices-page.ts";
import { menuPage } from "./menu-page.ts";
import { offerPage, respondToOffer } from "./offer-page.ts";

/** The pages of the worker's app. */
export function mountAppPages(pages: Router, deps: PageDeps): void {
  const app = Router({ caseSensitive: true, strict: true });
  const { show, act } = pageRoutes(deps, appSection);
  const texts = {
    title: "Sign in to the app",
    lead: html`For workers who offer their availability. People of organisations <a href="/sign-in">sign in to the portal</a>.`,
    label: "Worker id",
    type: "text",
  } as const;
  defineRoutes(app, "/app", { get: show(menuPage(deps)) });
  defineRoutes(app, "/app/sign-in", signInRoutes(deps, appSection, texts));
  defineRoutes(app, "/app/sign-out", { post: signOutRoute(deps, appSection) });
  defineRoutes(app, "/app/live", { get: appLiveRoute(deps), head: false });
  defineRoutes(app, "/app/contacts", { get: show(contactsPage(deps)), post: act(addContactForm(deps)) });
  defineRoutes(app, "/app/devices", { get: show(devicesPage(deps)) });
  defineRoutes(app, "/app/devices/:id/remove", { post: act(removeDeviceForm(deps)) });
  defineRoutes(app, "/app/offers/:id", { get: show(offerPage(deps)) });
  // A rejected form is shown at this path; a reload then shows the offer.
  const toOffer = ({ request }: AppContext) => ({
    to: `/app/offers/${encodeURIComponent(pathParameter(request, "id"))}`,
  });
  for (const action of ["apply", "reject", "close"] as const)
    defineRoutes(app, `/app/offers/:id/${action}`, { get: show(toOffer), post: act(respondToOffer(deps, action)) });
  app.use("/app", () => {
    throw new ProblemError("not_found", "Check the address, or go to the notifications.");
  });
  app.use(errorPages(deps, appSection));
  pages.use(app);
}
