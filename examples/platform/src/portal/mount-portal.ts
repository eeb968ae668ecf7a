import type { Router } from "express";
import { resource } from "../http/resource.ts";
import { sessionMethods } from "../session/session-methods.ts";
import { listDeliveriesRoute } from "./deliveries-routes.ts";
import { enableEndpointRoute } from "./enable-endpoint-route.ts";
import { inviteRoute, listInvitationsRoute } from "./invitations-routes.ts";
import { mailboxRoute } from "./mailbox-route.ts";
import { listOffersRoute } from "./offers-route.ts";
import type { PortalDeps } from "./portal-deps.ts";
import { readProfileRoute, rotateSecretRoute, saveProfileRoute } from "./profile-routes.ts";
import { redeliverManyRoute, redeliverRoute } from "./redelivery-routes.ts";
import { person } from "./signed-in-person.ts";
import { searchSuggestionsRoute, suggestingOrganisationsRoute } from "./suggestions-route.ts";

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
