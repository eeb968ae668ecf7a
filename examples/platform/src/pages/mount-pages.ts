import { Router } from "express";
import { html } from "hono/html";
import { resource } from "../http/resource.ts";
import { ProblemError } from "../problem/problem-error.ts";
import { appAudience } from "./app/app-audience.ts";
import { mountAppPages } from "./app/mount-app-pages.ts";
import { mountCompanyPages } from "./company/mount-company-pages.ts";
import { mountDeliveryPages } from "./deliveries/mount-delivery-pages.ts";
import { assetRoute } from "./frame/assets.ts";
import { errorPages } from "./frame/error-pages.ts";
import { pageRoutes } from "./frame/page-routes.ts";
import { securityHeaders } from "./frame/security-headers.ts";
import { signInRoutes, signOutRoute } from "./frame/sign-in-page.ts";
import { mountInvitationPages } from "./invitations/mount-invitation-pages.ts";
import { liveRoute } from "./live-route.ts";
import { mailboxPage } from "./mailbox/mailbox-page.ts";
import { mountOfferPages } from "./offers/mount-offer-pages.ts";
import type { PageDeps } from "./page-deps.ts";
import { portalAudience } from "./portal-audience.ts";

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
