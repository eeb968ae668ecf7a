import { Router } from "express";
import { html } from "hono/html";
import { resource } from "../../http/define-routes.ts";
import { pathParameter } from "../../http/path-parameter.ts";
import { ProblemError } from "../../problem/problem-error.ts";
import { errorPages } from "../routing/error-pages.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { signInRoutes, signOutRoute } from "../routing/sign-in-page.ts";
import { appLiveRoute } from "./app-live-route.ts";
import { type AppVisit, appAudience } from "./app-section.ts";
import { addContactForm, contactsPage } from "./contacts-page.ts";
import { devicesPage, removeDeviceForm } from "./devices-page.ts";
import { menuPage } from "./menu-page.ts";
import { answerOffer, offerPage } from "./offer-page.ts";

/** The worker's app: pages at the width of a phone. */
export function mountAppPages(pages: Router, deps: PageDeps): void {
  const app = Router({ caseSensitive: true, strict: true });
  const { show, act } = pageRoutes(deps, appAudience);
  const texts = {
    title: "Sign in to the app",
    lead: html`For workers who offer their availability. People of organisations <a href="/sign-in">sign in to the portal</a>.`,
    label: "Worker id",
    type: "text",
  } as const;
  resource(app, "/app", { get: show(menuPage(deps)) });
  resource(app, "/app/sign-in", signInRoutes(deps, appAudience, texts));
  resource(app, "/app/sign-out", { post: signOutRoute(deps, appAudience) });
  resource(app, "/app/live", { get: appLiveRoute(deps), head: false });
  resource(app, "/app/contacts", { get: show(contactsPage(deps)), post: act(addContactForm(deps)) });
  resource(app, "/app/devices", { get: show(devicesPage(deps)) });
  resource(app, "/app/devices/:id/remove", { post: act(removeDeviceForm(deps)) });
  resource(app, "/app/offers/:id", { get: show(offerPage(deps)) });
  // An answer that was refused is shown there: whoever loads it again sees the offer.
  const toOffer = ({ request }: AppVisit) => ({
    to: `/app/offers/${encodeURIComponent(pathParameter(request, "id"))}`,
  });
  for (const action of ["apply", "reject", "close"] as const)
    resource(app, `/app/offers/:id/${action}`, { get: show(toOffer), post: act(answerOffer(deps, action)) });
  app.use("/app", () => {
    throw new ProblemError("not_found", "Check the address, or start from the notifications.");
  });
  app.use(errorPages(deps, appAudience));
  pages.use(app);
}
