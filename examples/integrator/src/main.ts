// An organisation's own system, as small as it can be: a roster that the service's webhooks keep up to date.
import { webhookRouter } from "@offers/webhook-kit/express";
import express from "express";
import { staff } from "./staff.ts";

const { PORT = "3001", WEBHOOK_SECRET = "" } = process.env;

/** The latest answer of each worker to each offer. An event may come twice, so it is set, never counted. */
const answers = new Map<string, Map<string, "accepted" | "rejected">>();
const sharedWith = new Set<string>();

const app = express();

app.use(
  "/webhooks",
  webhookRouter({
    secret: WEBHOOK_SECRET,
    onWorkerOfferResponse({ offerId, workerId, response }) {
      const offer = answers.get(offerId) ?? new Map();
      answers.set(offerId, offer.set(workerId, response));
    },
    onWorkerAddedContact({ workerId }) {
      sharedWith.add(workerId);
    },
    suggestContacts({ filter = "", userEmailAddresses }) {
      return staff
        .filter(({ manager }) => userEmailAddresses.includes(manager))
        .filter(({ name, role }) => `${name} ${role}`.toLowerCase().includes(filter.toLowerCase()))
        .map(({ name, emailAddress, ratings }) => ({ name, emailAddress, ratings }));
    },
    onRejected: ({ reason }) => console.warn(`refused a webhook: ${reason}`),
    onError: (error) => console.error("a handler failed:", error),
  }),
);

// For the organisation's own screens: what the webhooks have told so far.
app.get("/roster", (_request, response) => {
  const offers = Object.fromEntries([...answers].map(([offerId, workers]) => [offerId, Object.fromEntries(workers)]));
  response.json({ offers, sharedWith: [...sharedWith] });
});

const server = app.listen(Number(PORT), "127.0.0.1", (error) => {
  if (error) throw error;
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : PORT;
  console.log(`integrator listening on http://127.0.0.1:${port}`);
});
