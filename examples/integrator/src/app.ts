import { webhookRouter } from "@offers/webhook-kit/express";
import express, { type Express } from "express";
import type { Roster } from "./roster.ts";
import { staff } from "./staff.ts";

/** An organisation's own system, as small as it can be: a roster that the service's webhooks keep up to date. */
export function createApp(secret: string, roster: Roster): Express {
  const app = express();

  app.use(
    "/offers",
    webhookRouter({
      secret,
      onWorkerOfferResponse: (event) => roster.recordResponse(event),
      onWorkerAddedContact: (event) => roster.share(event),
      suggestContacts: ({ filter = "", userEmailAddresses }) =>
        staff
          .filter(({ manager }) => userEmailAddresses.includes(manager))
          .filter(({ name, role }) => `${name} ${role}`.toLowerCase().includes(filter.toLowerCase()))
          .map(({ name, emailAddress, ratings }) => ({ name, emailAddress, ratings })),
      // Extras of the live service; an organisation that doesn't need them leaves them out.
      onOfferEventDeleted: (event) => roster.leaveGap(event),
      onTimelineChanged: (event) => roster.changeTimeline(event),
      onRejected: ({ reason }) => console.warn(`refused a webhook: ${reason}`),
      onError: (error) => console.error("a handler failed:", error),
    }),
  );

  // For the organisation's own screens.
  app.get("/roster", (_request, response) => {
    response.json(roster);
  });

  return app;
}
