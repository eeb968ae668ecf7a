import express from "express";
import { expect, test } from "vitest";
import { webhookRouter } from "../../src/express.ts";
import { standardWebhooks } from "../../src/index.ts";
import { createSignedRequest, whsec } from "../signature/standard-signed.ts";
import { serve } from "../support/serve.ts";

// Middleware such as `express.json({ verify: (request, _, bytes) => { request.rawBody = bytes.toString() } })` sets a string.
test("a string rawBody is used to verify the signature, even behind a parser", async () => {
  const handled: unknown[] = [];
  const app = express();
  app.use(
    express.json({
      verify: (request, _response, bytes) => void Object.assign(request, { rawBody: bytes.toString() }),
    }),
  );
  app.use(
    webhookRouter({
      secret: whsec,
      scheme: standardWebhooks(),
      onWorkerOfferResponse: (event) => void handled.push(event),
    }),
  );
  const { url } = await serve(app);
  const body = '{ "offerId": "offer_1",\n"workerId": "Zoë", "response": "accepted" }';
  const response = await fetch(`${url}/offer/response`, createSignedRequest(body));
  expect(response.status).toBe(200);
  expect(handled).toMatchObject([{ workerId: "Zoë" }]);
});
