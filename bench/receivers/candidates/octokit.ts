import { createNodeMiddleware, Webhooks } from "@octokit/webhooks";
import express from "express";
import { type ReceiverCandidate, secret, webhookPath } from "../candidate.ts";

const webhooks = new Webhooks({ secret });

export const candidate: ReceiverCandidate = {
  label: "@octokit/webhooks createNodeMiddleware",
  sign: async (body, id) => ({
    "X-GitHub-Event": "push",
    "X-Hub-Signature-256": await webhooks.sign(body),
    "X-GitHub-Delivery": id,
  }),
  createListener(onHandled) {
    webhooks.on("push", onHandled);
    const app = express();
    app.use(createNodeMiddleware(webhooks, { path: webhookPath }));
    return app;
  },
};
