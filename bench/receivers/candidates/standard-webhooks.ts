import express from "express";
import { Webhook } from "standardwebhooks";
import { type ReceiverCandidate, secret, webhookPath } from "../candidate.ts";

const webhook = new Webhook(secret);

export const candidate: ReceiverCandidate = {
  label: "standardwebhooks verify after express.raw()",
  sign(body, id) {
    const now = new Date();
    return {
      "Webhook-Id": id,
      "Webhook-Timestamp": String(Math.floor(now.getTime() / 1000)),
      "Webhook-Signature": webhook.sign(id, now, body),
    };
  },
  createListener(onHandled) {
    const app = express();
    app.post(webhookPath, express.raw({ type: "application/json" }), (request, response) => {
      webhook.verify(request.body, request.headers as Record<string, string>);
      onHandled();
      response.json({ received: true });
    });
    return app;
  },
};
