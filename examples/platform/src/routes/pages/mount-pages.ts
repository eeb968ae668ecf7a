import compression from "compression";
import { type RequestHandler, Router } from "express";
import { ProblemError } from "../../http/problem.ts";
import { defineRoutes } from "../../http/routes.ts";
import { contactsPage, handleAddContact } from "./app/contacts-page.ts";
import { devicesPage, handleRemoveDevice } from "./app/devices-page.ts";
import { joinRoutes } from "./app/join-page.ts";
import { menuPage } from "./app/menu-page.ts";
import { offerPage as appOfferPage, respondToOffer } from "./app/offer-page.ts";
import { shiftsPage } from "./app/shifts-page.ts";
import { handleSetTimeZone as handleSetWorkerTimeZone, timeZonePage } from "./app/time-zone-page.ts";
import {
  apiKeysPage,
  handleCreateApiKey,
  handleRevokeApiKey,
  restoreApiKeyForm,
  revokeApiKeyPage,
} from "./company/api-keys-page.ts";
import {
  companyPage,
  handleEnableEndpoint,
  handleRetryAll,
  handleRotateSecret,
  handleSaveCompany,
  restoreCompanyForm,
} from "./company/company-page.ts";
import { handleNamePlace, handleRemovePlace, placesPage, restorePlaceForm } from "./company/places-page.ts";
import { handleRemoveProfile, removeProfilePage } from "./company/remove-page.ts";
import { handleSendTestEvent, testEventPage } from "./company/test-event-page.ts";
import { handleSetTimeZone } from "./company/time-zone-section.ts";
import { deliveriesPage } from "./deliveries/deliveries-page.ts";
import { deliveryPage, handleRedeliver, handleRetry } from "./deliveries/delivery-page.ts";
import { handleRedeliverMany, redeliverManyPage } from "./deliveries/redeliver-page.ts";
import { invitationsPage } from "./invitations/invitations-page.ts";
import { profileImageRoute } from "./invitations/profile-image-route.ts";
import { handleInvite, handleSearch } from "./invitations/search-page.ts";
import { assetRoute } from "./layout/assets.ts";
import { mailboxPage } from "./mailbox-page.ts";
import { handleComplete, restoreCompletion } from "./offers/complete-page.ts";
import { handleCreateOffer, newOfferPage, restoreOfferForm } from "./offers/new-offer-page.ts";
import { offerPage } from "./offers/offer-page.ts";
import { offersPage } from "./offers/offers-page.ts";
import { handleWithdraw, withdrawPage } from "./offers/withdraw-page.ts";
import { accountPages } from "./routing/account-page.ts";
import { errorPages } from "./routing/error-pages.ts";
import type { PageDeps } from "./routing/page.ts";
import { pageRoutes } from "./routing/page-routes.ts";
import { signInRoutes, signOutRoute } from "./routing/sign-in-page.ts";
import { appSection } from "./sections/app-section.ts";
import { appLiveRoute, portalLiveRoute } from "./sections/live-routes.ts";
import { portalSection } from "./sections/portal-section.ts";
import { securityHeaders } from "./security/security-headers.ts";

/** Adds all pages. Call it last, since it also responds to unknown paths. */
export function mountPages(router: Router, deps: PageDeps): void {
  const pages = newRouter();
  pages.use(securityHeaders());
  pages.use(compression({ filter: shouldCompress }));
  defineRoutes(pages, "/assets/:file", { get: assetRoute });
  mountPortalPages(pages, deps);
  pages.use(appPages(deps));
  pages.use((request, _response, next) => {
    // Browsers prefer HTML; programs accept JSON or anything else.
    const isPage = request.method === "GET" && request.accepts(["json", "html"]) === "html";
    next(isPage ? new ProblemError("not_found", "Check the URL, or go to the home page.") : undefined);
  });
  pages.use(errorPages(deps, portalSection));
  router.use(pages);
}

/** Returns true for pages and their files, but not for streams, because compression would delay their events. */
const shouldCompress: compression.CompressionFilter = (request, response) =>
  !String(response.getHeader("Content-Type")).startsWith("text/event-stream") && compression.filter(request, response);

const newRouter = (): Router => Router({ caseSensitive: true, strict: true });

/** Adds the portal pages. */
function mountPortalPages(pages: Router, deps: PageDeps): void {
  const { show, submit } = pageRoutes(deps, portalSection);
  // A rejected form is shown at the path that it was sent to. Opening that path redirects to the page that contains the form.
  const redirect = (to: string): RequestHandler => show(() => ({ to }));
  defineRoutes(pages, "/", { get: redirect("/offers") });
  defineRoutes(pages, portalSection.signInPath, signInRoutes(deps, portalSection));
  defineRoutes(pages, portalSection.signOutPath, { post: signOutRoute(deps, portalSection) });
  const account = accountPages(portalSection);
  defineRoutes(pages, "/account", { get: show(account.show), post: submit(account.change, account.show) });
  defineRoutes(pages, "/account/sign-out", { get: redirect("/account"), post: submit(account.signOut) });
  defineRoutes(pages, "/live", { get: portalLiveRoute(deps), head: false });

  defineRoutes(pages, "/company", { get: show(companyPage), post: submit(handleSaveCompany, restoreCompanyForm) });
  defineRoutes(pages, "/company/rotation", {
    get: redirect("/company"),
    post: submit(handleRotateSecret, companyPage),
  });
  defineRoutes(pages, "/company/enable", { get: redirect("/company"), post: submit(handleEnableEndpoint) });
  defineRoutes(pages, "/company/test-event", { get: show(testEventPage), post: submit(handleSendTestEvent) });
  defineRoutes(pages, "/company/retry", { get: redirect("/company"), post: submit(handleRetryAll) });

  defineRoutes(pages, "/company/time-zone", { get: redirect("/company"), post: submit(handleSetTimeZone) });
  defineRoutes(pages, "/company/remove", { get: show(removeProfilePage), post: submit(handleRemoveProfile) });
  defineRoutes(pages, "/api-keys", { get: show(apiKeysPage), post: submit(handleCreateApiKey, restoreApiKeyForm) });
  defineRoutes(pages, "/api-keys/:id/revoke", { get: show(revokeApiKeyPage), post: submit(handleRevokeApiKey) });

  defineRoutes(pages, "/places", { get: show(placesPage), post: submit(handleNamePlace, restorePlaceForm) });
  defineRoutes(pages, "/places/remove", { get: redirect("/places"), post: submit(handleRemovePlace) });

  defineRoutes(pages, "/offers", { get: show(offersPage) });
  // Define this path before `:id`, which would match it.
  defineRoutes(pages, "/offers/new", { get: show(newOfferPage), post: submit(handleCreateOffer, restoreOfferForm) });
  defineRoutes(pages, "/offers/:id", { get: show(offerPage) });
  const toOffer = show(({ id }) => ({ to: `/offers/${encodeURIComponent(id)}` }));
  defineRoutes(pages, "/offers/:id/complete", { get: toOffer, post: submit(handleComplete, restoreCompletion) });
  defineRoutes(pages, "/offers/:id/withdraw", { get: show(withdrawPage), post: submit(handleWithdraw) });

  defineRoutes(pages, "/deliveries", { get: show(deliveriesPage) });
  // Define this path before `:id`, which would match it.
  defineRoutes(pages, "/deliveries/redeliver", { get: show(redeliverManyPage), post: submit(handleRedeliverMany) });
  defineRoutes(pages, "/deliveries/:id", { get: show(deliveryPage) });
  defineRoutes(pages, "/deliveries/:id/retry", { post: submit(handleRetry) });
  defineRoutes(pages, "/deliveries/:id/redeliver", { post: submit(handleRedeliver) });

  defineRoutes(pages, "/mailbox", { get: show(mailboxPage) });

  defineRoutes(pages, "/invitations", { get: show(invitationsPage), post: submit(handleInvite) });
  defineRoutes(pages, "/invitations/search", { get: redirect("/invitations"), post: submit(handleSearch) });
  defineRoutes(pages, "/invitations/images/:reference", { get: profileImageRoute(deps) });
}

/** Creates the pages of the worker's app, which have separate error pages. */
function appPages(deps: PageDeps): Router {
  const app = newRouter();
  app.use("/app", securityHeaders({ "manifest-src": ["'self'"] }));
  const { show, submit } = pageRoutes(deps, appSection);
  defineRoutes(app, appSection.home, { get: show(menuPage) });
  defineRoutes(app, appSection.signInPath, signInRoutes(deps, appSection));
  defineRoutes(app, appSection.signOutPath, { post: signOutRoute(deps, appSection) });
  const account = accountPages(appSection);
  defineRoutes(app, "/app/account", { get: show(account.show), post: submit(account.change, account.show) });
  const toAccount = show(() => ({ to: "/app/account" }));
  defineRoutes(app, "/app/account/sign-out", { get: toAccount, post: submit(account.signOut) });
  defineRoutes(app, "/app/join/:token", joinRoutes(deps));
  defineRoutes(app, "/app/live", { get: appLiveRoute(deps), head: false });
  defineRoutes(app, "/app/contacts", { get: show(contactsPage), post: submit(handleAddContact) });
  defineRoutes(app, "/app/shifts", { get: show(shiftsPage) });
  defineRoutes(app, "/app/time-zone", { get: show(timeZonePage), post: submit(handleSetWorkerTimeZone) });
  defineRoutes(app, "/app/devices", { get: show(devicesPage) });
  defineRoutes(app, "/app/devices/:id/remove", { post: submit(handleRemoveDevice) });
  defineRoutes(app, "/app/offers/:id", { get: show(appOfferPage) });
  const toOffer = show(({ id }) => ({ to: `/app/offers/${encodeURIComponent(id)}` }));
  for (const action of ["apply", "reject", "close"] as const)
    defineRoutes(app, `/app/offers/:id/${action}`, { get: toOffer, post: submit(respondToOffer(action)) });
  app.use("/app", () => {
    throw new ProblemError("not_found", "Check the URL, or go to your notifications.");
  });
  app.use(errorPages(deps, appSection));
  return app;
}
