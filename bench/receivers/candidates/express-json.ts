import express from "express";
import { type ReceiverCandidate, webhookPath } from "../candidate.ts";
import { createUnsignedHeaders } from "../unsigned.ts";

/** The base, which does not verify anything. */
export const candidate: ReceiverCandidate = {
  label: "Express json() + res.json(), nothing verified",
  sign: createUnsignedHeaders,
  createListener(onHandled) {
    const app = express();
    app.post(webhookPath, express.json(), (_request, response) => {
      onHandled();
      response.json({ received: true });
    });
    return app;
  },
};
