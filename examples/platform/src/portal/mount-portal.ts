import type { Router } from "express";
import { defineRoutes } from "../http/define-routes.ts";
import { sessionMethods } from "../session/session-methods.ts";
import { listDeliveriesRoute } from "./deliveries/deliveries-routes.ts";
import { redeliverManyRoute, redeliverRoute } from "./deliveries/redelivery-routes.ts";
import { inviteRoute, listInvitationsRoute } from "./invitations/invitations-routes.ts";
import { mailboxRoute } from "./mailbox/mailbox-route.ts";
import { listOffersRoute } from "./offers/offers-route.ts";
import type { PortalDeps } from "./person/portal-deps.ts";
import { person } from "./person/signed-in-person.ts";
import {
  enableEndpointRoute,
  readProfileRoute,
  rotateSecretRoute,
  saveProfileRoute,
} from "./profile/profile-routes.ts";
import { searchSuggestionsRoute, suggestingOrganisationsRoute } from "./suggestions/suggestions-route.ts";

/** The portal: company profile, offers, deliveries, suggestions, invitations, mailbox. */
export function mountPortal(router: Router, deps: PortalDeps): void {
  defineRoutes(router, person.sessionPath, sessionMethods(deps, person));
  defineRoutes(router, "/portal/profile", { get: readProfileRoute(deps), put: saveProfileRoute(deps) });
  defineRoutes(router, "/portal/profile/enable", { post: enableEndpointRoute(deps) });
  defineRoutes(router, "/portal/profile/rotation", { post: rotateSecretRoute(deps) });
  defineRoutes(router, "/portal/offers", { get: listOffersRoute(deps) });
  defineRoutes(router, "/portal/deliveries", { get: listDeliveriesRoute(deps) });
  defineRoutes(router, "/portal/deliveries/redeliver", { post: redeliverManyRoute(deps) });
  defineRoutes(router, "/portal/deliveries/:id/redeliver", { post: redeliverRoute(deps) });
  defineRoutes(router, "/portal/suggestions/organisations", { get: suggestingOrganisationsRoute(deps) });
  defineRoutes(router, "/portal/suggestions/search", { post: searchSuggestionsRoute(deps) });
  defineRoutes(router, "/portal/invitations", { get: listInvitationsRoute(deps), post: inviteRoute(deps) });
  defineRoutes(router, "/portal/mailbox", { get: mailboxRoute(deps) });
}
