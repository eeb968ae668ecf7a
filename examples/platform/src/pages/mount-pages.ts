import { Router } from "express";
import { html } from "hono/html";
import { defineRoutes } from "../http/define-routes.ts";
import { ProblemError } from "../problem/problem-error.ts";
import { appSection } from "./app/app-section.ts";
import { mountAppPages } from "./app/mount-app-pages.ts";
import { mountCompanyPages } from "./company/mount-company-pages.ts";
import { mountDeliveryPages } from "./deliveries/mount-delivery-pages.ts";
import { mountInvitationPages } from "./invitations/mount-invitation-pages.ts";
import { assetRoute } from "./layout/assets.ts";
import { mailboxPage } from "./mailbox/mailbox-page.ts";
import { mountOfferPages } from "./offers/mount-offer-pages.ts";
import { liveRoute } from "./portal/live-route.ts";
import { portalSection } from "./portal/portal-section.ts";
import { errorPages } from "./routing/error-pages.ts";
import type { PageDeps } from "./routing/page-deps.ts";
import { pageRoutes } from "./routing/page-routes.ts";
import { signInRoutes, signOutRoute } from "./routing/sign-in-page.ts";
import { securityHeaders } from "./security/security-headers.ts";

/** All pages. Mounted last, since it also responds to unknown paths. */
export function mountPages(router: Router, deps: PageDeps): void {
  const pages = Router({ caseSensitive: true, strict: true });
  pages.use(securityHeaders(deps.cookies.isSecure));
  defineRoutes(pages, "/assets/:file", { get: assetRoute });

  const { show } = pageRoutes(deps, portalSection);
  const texts = {
    title: "Sign in to the portal",
    lead: html`For people of organisations that offer work or integrate. Workers <a href="${appSection.signInPath}">sign in to the app</a>.`,
    label: "Email address",
    type: "email",
  } as const;
  defineRoutes(pages, "/", { get: show(() => ({ to: "/offers" })) });
  defineRoutes(pages, portalSection.signInPath, signInRoutes(deps, portalSection, texts));
  defineRoutes(pages, "/sign-out", { post: signOutRoute(deps, portalSection) });
  defineRoutes(pages, "/live", { get: liveRoute(deps), head: false });

  mountCompanyPages(pages, deps);
  mountOfferPages(pages, deps);
  mountDeliveryPages(pages, deps);
  defineRoutes(pages, "/mailbox", { get: show(mailboxPage(deps)) });
  mountInvitationPages(pages, deps);
  mountAppPages(pages, deps);

  pages.use((request, _response, next) => {
    // Browsers prefer HTML; programs accept JSON or anything.
    const isPage = request.method === "GET" && request.accepts(["json", "html"]) === "html";
    next(isPage ? new ProblemError("not_found", "Check the address, or go to the home page.") : undefined);
  });
  pages.use(errorPages(deps, portalSection));
  router.use(pages);
}
