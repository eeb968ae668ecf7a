import { webhookListener } from "@offers/webhook-kit/node";
import { testReceiver } from "@offers/webhook-kit/testing";
import fastify from "fastify";
import { expect, onTestFinished, test, vi } from "vitest";
import { prepareRecipe } from "../support/prepare-recipe.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const log = prepareRecipe({ WEBHOOK_SECRET: secret });
const { app } = await import("./fastify.ts");

test("a Fastify app passes all checks", async () => {
  onTestFinished(() => app.close());
  await using receiver = await testReceiver(app, { secret, basePath: "/offers" });
  const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});

test("behind Fastify's own parser, the error explains how to mount the receiver, and checkContract reports the problem", async () => {
  const onError = vi.fn();
  const ignore = () => undefined;
  const webhooks = webhookListener({
    basePath: "/offers",
    secret,
    onError,
    onRejected: ignore,
    onWorkerOfferResponse: ignore,
  });
  const naiveApp = fastify();
  naiveApp.all("/offers/*", (request, reply) => {
    reply.hijack();
    webhooks(request.raw, reply.raw);
  });
  onTestFinished(() => naiveApp.close());
  await using receiver = await testReceiver(naiveApp, { secret, basePath: "/offers" });
  expect((await receiver.test()).status).toBe(200);
  const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
  const response = await receiver.workerOfferResponse(accepted);
  expect([response.status, JSON.parse(response.body)]).toEqual([
    500,
    expect.objectContaining({
      code: "body_already_consumed",
      detail: expect.stringMatching(/In Fastify, mount it in a scope whose content-type parser leaves the body unread/),
    }),
  ]);
  expect(onError).toHaveBeenCalledWith(expect.objectContaining({ code: "body_already_consumed" }));
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toContainEqual(
    expect.stringMatching(/WorkerOfferResponse|workerOfferResponse/),
  );
});
