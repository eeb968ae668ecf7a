import express from "express";
import Stripe from "stripe";
import { type ReceiverCandidate, secret, webhookPath } from "../candidate.ts";

const { webhooks } = Stripe;

export const candidate: ReceiverCandidate = {
  label: "stripe constructEvent after express.raw()",
  sign: (payload, id) => ({
    "Stripe-Signature": webhooks.generateTestHeaderString({ payload, secret }),
    "X-Delivery-Id": id,
    "X-Attempt": "1",
  }),
  createListener(onHandled) {
    const app = express();
    app.post(webhookPath, express.raw({ type: "application/json" }), (request, response) => {
      webhooks.constructEvent(request.body, request.headers["stripe-signature"] ?? "", secret);
      onHandled();
      response.json({ received: true });
    });
    return app;
  },
};
