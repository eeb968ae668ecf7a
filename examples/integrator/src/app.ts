import { webhookRouter } from "@offers/webhook-kit/express";
import { webhookTracer } from "@offers/webhook-kit/opentelemetry";
import express, { type Express } from "express";
import type { Roster } from "./roster.ts";
import { staff } from "./staff.ts";

/** Creates the minimal system of an organisation: a roster that is updated by webhooks from the service. */
export function createApp(secret: string, roster: Roster): Express {
  const app = express();

  app.use(
    "/offers",
    webhookRouter({
      secret,
      // Records nothing unless an OpenTelemetry SDK is registered.
      tracer: webhookTracer(),
      onWorkerOfferResponse: (event) => roster.recordResponse(event),
      onWorkerAddedContact: (event) => roster.addSharedWorker(event),
      suggestContacts: ({ filter = "", userEmailAddresses }) =>
        staff
          .filter(({ manager }) => userEmailAddresses.includes(manager))
          .filter(({ name, role }) => `${name} ${role}`.toLowerCase().includes(filter.toLowerCase()))
          .map(({ name, emailAddress, ratings }) => ({ name, emailAddress, ratings })),
      // These handlers are optional. The live service also sends these events.
      onOfferEventDeleted: (event) => roster.recordCancellation(event),
      onTimelineChanged: (event) => roster.recordTimeline(event),
      onRejected: ({ code, message }) => console.warn(`rejected a webhook (${code}): ${message}`),
      onError: (error) => console.error("a handler failed:", error),
    }),
  );

  // Used by the organisation's own pages.
  app.get("/roster", (_request, response) => {
    response.json(roster);
  });

  return app;
}
