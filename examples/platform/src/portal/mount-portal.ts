import type { Router } from "express";
import { z } from "zod";
import { defineRoutes } from "../http/define-routes.ts";
import { listSchema } from "../lists/list-query.ts";
import { commitAndPublish } from "../offers/commit-and-publish.ts";
import { sessionMethods } from "../session/session-methods.ts";
import { signedInRoutes } from "../session/signed-in-routes.ts";
import { instantField } from "../validation/instant-field.ts";
import { parseBody } from "../validation/parse-body.ts";
import type { CheckView } from "./check-endpoint.ts";
import { deliveriesCursor, readDeliveriesAndAttempts } from "./deliveries.ts";
import { invitationsCursor, invite, listInvitations, picksSchema } from "./invitations.ts";
import { type PortalDeps, person, readPerson, type SignedInPerson } from "./person.ts";
import { mailsCursor, readMails } from "./read-mails.ts";
import { listOffers, offersCursor } from "./read-offers.ts";
import { readProfile } from "./read-profile.ts";
import { redeliverOne, redeliverRange, redeliveryRangeSchema } from "./redeliver.ts";
import { reenableEndpoint } from "./reenable-endpoint.ts";
import { rotateSecret } from "./rotate-secret.ts";
import { saveProfile } from "./save-profile.ts";
import { searchSchema, searchSuggestions, suggestingOrganisations } from "./search-suggestions.ts";

/** The portal: company profile, offers, deliveries, suggestions, invitations, mailbox. */
export function mountPortal(router: Router, deps: PortalDeps): void {
  const { route, list } = signedInRoutes(deps, person, readPerson);
  defineRoutes(router, person.sessionPath, sessionMethods(deps, person));

  const profileAfter = async (user: SignedInPerson, checks: CheckView[]) => ({
    ...(await readProfile(deps, user)),
    checks,
  });
  defineRoutes(router, "/portal/profile", {
    get: route(({ user }) => readProfile(deps, user)),
    put: route(async ({ user, readBody }) => profileAfter(user, await saveProfile(deps, user, await readBody()))),
  });
  defineRoutes(router, "/portal/profile/enable", {
    post: route(async ({ user }) => profileAfter(user, await reenableEndpoint(deps, user))),
  });
  defineRoutes(router, "/portal/profile/rotation", {
    post: route(async ({ user, readBody }) => profileAfter(user, await rotateSecret(deps, user, await readBody()))),
  });

  const offersQuery = listSchema(offersCursor);
  defineRoutes(router, "/portal/offers", {
    get: list("offers", offersQuery, ({ organisationId }, query) => listOffers(deps, organisationId, query)),
  });

  const deliveriesQuery = listSchema(deliveriesCursor).extend({
    state: z.enum(["pending", "held", "acknowledged", "dead"]).optional(),
    since: instantField.optional(),
  });
  defineRoutes(router, "/portal/deliveries", {
    get: list("deliveries", deliveriesQuery, ({ organisationId }, query) =>
      readDeliveriesAndAttempts(deps, organisationId, query),
    ),
  });
  defineRoutes(router, "/portal/deliveries/redeliver", {
    post: route(async ({ user, readBody }) => {
      const range = parseBody(redeliveryRangeSchema, await readBody());
      return redeliverRange(deps, user.organisationId, range);
    }, 202),
  });
  defineRoutes(router, "/portal/deliveries/:id/redeliver", {
    post: route(({ user, id }) => redeliverOne(deps, user.organisationId, id), 202),
  });

  defineRoutes(router, "/portal/suggestions/organisations", {
    get: route(async ({ user }) => ({ organisations: await suggestingOrganisations(deps, user) })),
  });
  defineRoutes(router, "/portal/suggestions/search", {
    post: route(async ({ user, readBody }) => {
      const search = parseBody(searchSchema, await readBody());
      return { results: await searchSuggestions(deps, user, search) };
    }),
  });

  defineRoutes(router, "/portal/invitations", {
    get: list("invitations", listSchema(invitationsCursor), (user, query) => listInvitations(deps, user, query)),
    post: route(async ({ user, readBody }) => {
      const picks = parseBody(picksSchema, await readBody());
      return { invitations: await commitAndPublish(deps, (trx) => invite(trx, deps, user, picks)) };
    }, 201),
  });

  defineRoutes(router, "/portal/mailbox", {
    get: list("mails", listSchema(mailsCursor), (user, query) => readMails(deps, user, query)),
  });
}
