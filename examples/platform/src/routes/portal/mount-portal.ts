import type { Router } from "express";
import { z } from "zod";
import { createSignedInRoutes, mountSessions } from "../../accounts/signed-in-routes.ts";
import type { EndpointCheck } from "../../endpoint-client/test-endpoint.ts";
import { instantField } from "../../http/fields.ts";
import { createListSchema } from "../../http/list-cursor.ts";
import { defineRoutes } from "../../http/routes.ts";
import { deliveryList } from "./deliveries/deliveries.ts";
import { redeliverOne, redeliverRange, redeliveryRangeSchema, retryAll, retryOne } from "./deliveries/redeliver.ts";
import { invitationList, invitationSchema, invite } from "./invitations/invitations.ts";
import { readSuggestingOrganisations, searchSchema, searchSuggestions } from "./invitations/search-suggestions.ts";
import { offerList } from "./offers/read-offers.ts";
import { type PortalDeps, person, readPerson, type SignedInPerson } from "./person.ts";
import { readProfile } from "./profile/read-profile.ts";
import { reenableEndpoint } from "./profile/reenable-endpoint.ts";
import { rotateSecret, rotationSchema } from "./profile/rotate-secret.ts";
import { profileSchema, saveProfile } from "./profile/save-profile.ts";
import { mailList } from "./read-mails.ts";

/** Adds the portal's JSON routes: company profile, offers, deliveries, suggestions, invitations and mailbox. */
export function mountPortal(router: Router, deps: PortalDeps): void {
  const { route, list } = createSignedInRoutes(deps, person, readPerson);
  mountSessions(router, deps, person);

  const withProfile = async (user: SignedInPerson, checks: EndpointCheck[]) => ({
    ...(await readProfile(deps, user)),
    checks,
  });
  defineRoutes(router, "/portal/profile", {
    get: route(({ user }) => readProfile(deps, user)),
    put: route(async ({ user, read }) => withProfile(user, await saveProfile(deps, user, await read(profileSchema)))),
  });
  defineRoutes(router, "/portal/profile/enable", {
    post: route(async ({ user }) => withProfile(user, await reenableEndpoint(deps, user))),
  });
  defineRoutes(router, "/portal/profile/rotation", {
    post: route(async ({ user, read }) =>
      withProfile(user, await rotateSecret(deps, user, await read(rotationSchema))),
    ),
  });

  defineRoutes(router, "/portal/offers", { get: list(offerList, createListSchema(offerList.cursor)) });

  const deliveryParameters = createListSchema(deliveryList.cursor).extend({
    state: z.enum(["pending", "held", "acknowledged", "dead", "not_implemented"]).optional(),
    since: instantField.optional(),
    until: instantField.optional(),
  });
  defineRoutes(router, "/portal/deliveries", { get: list(deliveryList, deliveryParameters) });
  defineRoutes(router, "/portal/deliveries/redeliver", {
    post: route(async ({ user, read }) => redeliverRange(deps, user, await read(redeliveryRangeSchema)), 202),
  });
  defineRoutes(router, "/portal/deliveries/retry", { post: route(({ user }) => retryAll(deps, user), 202) });
  defineRoutes(router, "/portal/deliveries/:id/retry", {
    post: route(({ user, id }) => retryOne(deps, user, id), 202),
  });
  defineRoutes(router, "/portal/deliveries/:id/redeliver", {
    post: route(({ user, id }) => redeliverOne(deps, user, id), 202),
  });

  defineRoutes(router, "/portal/suggestions/organisations", {
    get: route(async ({ user }) => ({ organisations: await readSuggestingOrganisations(deps, user) })),
  });
  defineRoutes(router, "/portal/suggestions/search", {
    post: route(async ({ user, read }) => ({ results: await searchSuggestions(deps, user, await read(searchSchema)) })),
  });

  defineRoutes(router, "/portal/invitations", {
    get: list(invitationList, createListSchema(invitationList.cursor)),
    post: route(async ({ user, read }) => {
      const invitation = await read(invitationSchema);
      return { invitations: await deps.store.transaction((trx) => invite(trx, deps, user, invitation)) };
    }, 201),
  });

  defineRoutes(router, "/portal/mailbox", { get: list(mailList, createListSchema(mailList.cursor)) });
}
