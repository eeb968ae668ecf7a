import express from "express";
import { Webhook } from "svix";
import { type ReceiverCandidate, secret, webhookPath } from "../candidate.ts";

const webhook = new Webhook(secret);

export const candidate: ReceiverCandidate = {
  label: "svix verify after express.raw()",
  sign(body, id) {
    const now = new Date();
    return {
      "Svix-Id": id,
      "Svix-Timestamp": String(Math.floor(now.getTime() / 1000)),
      "Svix-Signature": webhook.sign(id, now, body),
    };
  },
  createListener(onHandled) {
    const app = express();
    app.post(webhookPath, express.raw({ type: "application/json" }), (request, response) => {
      webhook.verify(request.body, request.headers as Record<string, string>);
      // svix verifies the body but does not parse it.
      JSON.parse(request.body.toString());
      onHandled();
      response.json({ received: true });
    });
    return app;
  },
};
