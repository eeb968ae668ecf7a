import express from "express";
import { type ReceiverCandidate, webhookPath } from "../candidate.ts";
import { unsigned } from "../unsigned.ts";

/** The base: nothing is verified. */
export const candidate: ReceiverCandidate = {
  label: "Express json() + res.json(), nothing verified",
  sign: unsigned,
  createListener(handled) {
    const app = express();
    app.post(webhookPath, express.json(), (_request, response) => {
      handled();
      response.json({ received: true });
    });
    return app;
  },
};
