// The back end of a hirer, which uses the service to find workers for shifts.
import { isOffersError } from "@offers/client";
import { TracedOffersClient } from "@offers/client/opentelemetry";
import express, { type ErrorRequestHandler } from "express";

const {
  PORT = "3002",
  OFFERS_BASE_URL = "http://127.0.0.1:3000",
  OFFERS_API_KEY = "",
  OFFERS_USER_ID = "",
} = process.env;

// Records nothing unless an OpenTelemetry SDK is registered.
const offers = new TracedOffersClient({ baseUrl: OFFERS_BASE_URL, apiKey: OFFERS_API_KEY });

const app = express();
app.use(express.json());

app.post("/shifts", async (request, response) => {
  const { title, details, place, notifyEmail, workers, start, end } = request.body ?? {};
  const offer = await offers.createOffer({
    createdByUserId: OFFERS_USER_ID,
    title,
    details,
    locationPlaceId: place,
    notifyEmailAddress: notifyEmail,
    workerIds: workers,
    events: [{ start, end }],
  });
  response.status(201).json({ shift: offer.id });
});

app.get("/shifts/:id", async (request, response) => {
  const offer = await offers.getOffer(request.params.id);
  const applicants = offer.recipients.filter(({ response }) => response === "applied");
  response.json({ ...offer, applicants: applicants.map(({ workerId }) => workerId) });
});

app.post("/shifts/:id/staff", async (request, response) => {
  await offers.completeOffer(request.params.id, request.body?.workers);
  response.sendStatus(204);
});

app.post("/shifts/:id/cancel", async (request, response) => {
  await offers.withdrawOffer(request.params.id);
  response.sendStatus(204);
});

/** The status that this back end returns for each error code of the client. */
const statusByCode = new Map([
  ["bad_request", 400],
  ["invalid_argument", 400],
  ["invalid_id", 400],
  ["invalid_time", 400],
  ["not_found", 404],
  ["conflict", 409],
]);

/**
 * Responds with 4xx to the caller's errors, and with 502 if the service fails or rejects this back end's API key. Leaves other errors to
 * Express.
 */
const handleError: ErrorRequestHandler = (error, _request, response, _next) => {
  if (!isOffersError(error)) throw error;
  const { code, message, problem } = error;
  response.status(statusByCode.get(code) ?? 502).json({ code, message, errors: problem?.errors });
};
app.use(handleError);

const server = app.listen(Number(PORT), "127.0.0.1", (error) => {
  if (error) throw error;
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : PORT;
  console.log(`hirer listening on http://127.0.0.1:${port}`);
});
