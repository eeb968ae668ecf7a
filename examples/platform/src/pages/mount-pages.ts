import { Router } from "express";
import { html } from "hono/html";
import { resource } from "../http/define-routes.ts";
import { ProblemError } from "../problem/problem-error.ts";
import { appAudience } from "./app/app-section.ts";
import { mountAppPages } from "./app/mount-app-pages.ts";
import { mountCompanyPages } from "./company/mount-company-pages.ts";
import { mountDeliveryPages } from "./deliveries/mount-delivery-pages.ts";
import { mountInvitationPages } from "./invitations/mount-invitation-pages.ts";
import { assetRoute } from "./layout/assets.ts";
import { mailboxPage } from "./mailbox/mailbox-page.ts";
import { mountOfferPages } from "./offers/mount-offer-pages.ts";
import { liveRoute } from "./portal/live-route.ts";
import { portalAudience } from "./portal/portal-section.ts";
import { errorPages } from "./routing/error-pages.ts";
import type { PageDeps } from "./routing/page-deps.ts";
import { pageRoutes } from "./routing/page-routes.ts";
import { signInRoutes, signOutRoute } from "./routing/sign-in-page.ts";
import { securityHeaders } from "./security/security-headers.ts";

/** The portal's pages, beside its JSON routes and over the same functions. Mounted last: it also says what is nowhere. */
export function mountPages(router: Router, deps: PageDeps): void {
  const pages = Router({ caseSensitive: true, strict: true });
  pages.use(securityHeaders(deps.cookies.isSecure));
  resource(pages, "/assets/:file", { get: assetRoute });

  const { show } = pageRoutes(deps, portalAudience);
  const texts = {
    title: "Sign in to the portal",
    lead: html`For people of organisations that offer work or integrate. Workers <a href="${appAudience.signInPath}">sign in to the app</a>.`,
    label: "E-mail address",
    type: "email",
  } as const;
  resource(pages, "/", { get: show(() => ({ to: "/offers" })) });
  resource(pages, portalAudience.signInPath, signInRoutes(deps, portalAudience, texts));
  resource(pages, "/sign-out", { post: signOutRoute(deps, portalAudience) });
  resource(pages, "/live", { get: liveRoute(deps), head: false });

  mountCompanyPages(pages, deps);
  mountOfferPages(pages, deps);
  mountDeliveryPages(pages, deps);
  resource(pages, "/mailbox", { get: show(mailboxPage(deps)) });
  mountInvitationPages(pages, deps);
  mountAppPages(pages, deps);

  pages.use((request, _response, next) => {
    // A program asks for JSON, or for anything.
    const isPage = request.method === "GET" && request.accepts(["json", "html"]) === "html";
    next(isPage ? new ProblemError("not_found", "Check the address, or start from the first page.") : undefined);
  });
  pages.use(errorPages(deps, portalAudience));
  router.use(pages);
}
