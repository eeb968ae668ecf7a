import type { Router } from "express";
import { defineRoutes } from "../../http/define-routes.ts";
import { portalSection } from "../portal/portal-section.ts";
import type { PageDeps } from "../routing/page-deps.ts";
import { pageRoutes } from "../routing/page-routes.ts";
import { invitationsPage } from "./invitations-page.ts";
import { inviteForm } from "./invite-form.ts";
import { profileImageRoute } from "./profile-image-route.ts";
import { searchPage } from "./search-page.ts";

/** Search, pick and invite. */
export function mountInvitationPages(pages: Router, deps: PageDeps): void {
  const { show, act } = pageRoutes(deps, portalSection);
  defineRoutes(pages, "/invitations", { get: show(invitationsPage(deps)), post: act(inviteForm(deps)) });
  const toInvitations = show(() => ({ to: "/invitations" }));
  defineRoutes(pages, "/invitations/search", { get: toInvitations, post: act(searchPage(deps)) });
  defineRoutes(pages, "/invitations/images/:reference", { get: profileImageRoute(deps) });
}
