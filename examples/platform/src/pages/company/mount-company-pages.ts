import type { Router } from "express";
import { resource } from "../../http/define-routes.ts";
import { portalAudience } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { companyPage, enableEndpointForm, rotateSecretForm, saveCompanyForm } from "./company-page.ts";

/** Where an organisation's webhooks go, and how its endpoint does. */
export function mountCompanyPages(pages: Router, deps: PageDeps): void {
  const { show, act } = pageRoutes(deps, portalAudience);
  // What a form led to is shown at its own path: whoever loads that again sees the profile.
  const toProfile = show(() => ({ to: "/company" }));
  resource(pages, "/company", { get: show(companyPage(deps)), post: act(saveCompanyForm(deps)) });
  resource(pages, "/company/rotation", { get: toProfile, post: act(rotateSecretForm(deps)) });
  resource(pages, "/company/enable", { get: toProfile, post: act(enableEndpointForm(deps)) });
}
