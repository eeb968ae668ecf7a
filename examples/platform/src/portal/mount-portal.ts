import type { Router } from "express";
import { resource } from "../http/define-routes.ts";
import { sessionMethods } from "../session/session-methods.ts";
import { listDeliveriesRoute } from "./deliveries/deliveries-routes.ts";
import { redeliverManyRoute, redeliverRoute } from "./deliveries/redelivery-routes.ts";
import { inviteRoute, listInvitationsRoute } from "./invitations/invitations-routes.ts";
import { mailboxRoute } from "./mailbox/mailbox-route.ts";
import { listOffersRoute } from "./offers/offers-route.ts";
import type { PortalDeps } from "./person/portal-deps.ts";
import { person } from "./person/signed-in-person.ts";
import { enableEndpointRoute } from "./profile/enable-endpoint-route.ts";
import { readProfileRoute, rotateSecretRoute, saveProfileRoute } from "./profile/profile-routes.ts";
import { searchSuggestionsRoute, suggestingOrganisationsRoute } from "./suggestions/suggestions-route.ts";

/** What people of an organisation do: company profile, offers, deliveries, invitations. */
export function mountPortal(router: Router, deps: PortalDeps): void {
  resource(router, person.sessionPath, sessionMethods(deps, person));
  resource(router, "/portal/profile", { get: readProfileRoute(deps), put: saveProfileRoute(deps) });
  resource(router, "/portal/profile/enable", { post: enableEndpointRoute(deps) });
  resource(router, "/portal/profile/rotation", { post: rotateSecretRoute(deps) });
  resource(router, "/portal/offers", { get: listOffersRoute(deps) });
  resource(router, "/portal/deliveries", { get: listDeliveriesRoute(deps) });
  resource(router, "/portal/deliveries/redeliver", { post: redeliverManyRoute(deps) });
  resource(router, "/portal/deliveries/:id/redeliver", { post: redeliverRoute(deps) });
  resource(router, "/portal/suggestions/organisations", { get: suggestingOrganisationsRoute(deps) });
  resource(router, "/portal/suggestions/search", { post: searchSuggestionsRoute(deps) });
  resource(router, "/portal/invitations", { get: listInvitationsRoute(deps), post: inviteRoute(deps) });
  resource(router, "/portal/mailbox", { get: mailboxRoute(deps) });
}
