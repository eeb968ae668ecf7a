import { testReceiver } from "@offers/webhook-kit/testing";
import express from "express";
import { expect, test } from "vitest";
import { prepareRecipe } from "../support/prepare-recipe.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const log = prepareRecipe({ WEBHOOK_SECRET: secret });
const { webhooks } = await import("./google-function.ts");

const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;

test("a Google Cloud Function passes all checks", async () => {
  await using receiver = await testReceiver(webhooks, { secret, basePath: "/offers" });
  expect(await receiver.checkContract()).toEqual([]);
});

// The Functions Framework parses the body before it calls a function, and sets rawBody to its bytes.
test("a Google Cloud Function behind the framework's parser handles events once", async () => {
  const framework = express().use(
    express.json({
      verify: (request, _response, bytes) => Object.assign(request, { rawBody: bytes }),
    }),
    webhooks,
  );
  await using receiver = await testReceiver(framework, { secret, basePath: "/offers" });
  const { status } = await receiver.workerOfferResponse(accepted);
  expect(status).toBe(200);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});
