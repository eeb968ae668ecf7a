import type { Router } from "express";
import { defineRoutes } from "../../http/define-routes.ts";
import { portalSection } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { companyPage, enableEndpointForm, rotateSecretForm, saveCompanyForm } from "./company-page.ts";

/** The company profile: endpoint, secret and health. */
export function mountCompanyPages(pages: Router, deps: PageDeps): void {
  const { show, act } = pageRoutes(deps, portalSection);
  // The outcome of a form is shown at its path; a reload then shows the profile.
  const toProfile = show(() => ({ to: "/company" }));
  defineRoutes(pages, "/company", { get: show(companyPage(deps)), post: act(saveCompanyForm(deps)) });
  defineRoutes(pages, "/company/rotation", { get: toProfile, post: act(rotateSecretForm(deps)) });
  defineRoutes(pages, "/company/enable", { get: toProfile, post: act(enableEndpointForm(deps)) });
}
