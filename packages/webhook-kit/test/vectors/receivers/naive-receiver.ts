import { createHash, createHmac } from "node:crypto";
import express, { type Router } from "express";
import type { ReceiverSetup } from "./receiver-setup.ts";

/**
 * Creates the receiver that a developer might write in an afternoon from the documentation of the live service. It uses plain Express, and
 * accepts both interpretations of the documented sample. It shows that a receiver can fail the test vectors.
 */
export function createNaiveRouter(setup: ReceiverSetup): Router {
  const { secret: secrets, now } = setup;
  const router = express.Router();
  router.use(express.json());

  router.get("/test", (_request, response) => void response.sendStatus(200));

  router.use((request, response, next) => {
    const timestamp = request.header("Timestamp");
    const authorization = request.header("Authorization");
    if (!timestamp || !authorization) return void response.sendStatus(401);
    const ageMs = now().getTime() - new Date(timestamp).getTime();
    if (ageMs > 5 * 60 * 1000) return void response.sendStatus(401);
    const digest = authorization.split(" ")[1]?.toUpperCase();
    const isValid = secrets.some((secret) => {
      const hash = createHash("sha256").update(`${timestamp}${secret}`).digest("hex").toUpperCase();
      const hmac = createHmac("sha256", secret).update(timestamp).digest("hex").toUpperCase();
      return digest === hash || digest === hmac;
    });
    if (!isValid) return void response.sendStatus(401);
    next();
  });

  router.get("/test/auth", (_request, response) => void response.sendStatus(200));

  router.get("/contact/new/:workerId", async (request, response) => {
    await setup.onWorkerAddedContact?.({ workerId: request.params.workerId });
    response.sendStatus(200);
  });

  router.post("/contact-suggestions", (request, response) => {
    const { filter, userEmailAddresses } = request.body;
    if (!userEmailAddresses) return void response.status(400).json({ error: "userEmailAddresses is required" });
    response.json(setup.suggestContacts?.({ filter, userEmailAddresses }));
  });

  router.post("/offer/response", async (request, result) => {
    const { offerId, workerId, response } = request.body;
    if (!offerId || !workerId || !response) return void result.status(400).json({ error: "a field is missing" });
    await setup.onWorkerOfferResponse?.({ offerId, workerId, response });
    result.sendStatus(200);
  });

  router.post("/offer/eventDeleted", async (request, response) => {
    await setup.onOfferEventDeleted?.(request.body);
    response.sendStatus(200);
  });

  router.post("/events/timelineChanged", async (request, response) => {
    await setup.onTimelineChanged?.(request.body);
    response.sendStatus(200);
  });

  return router;
}
