import "reflect-metadata";
import { Module, type Type } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import { testReceiver } from "@offers/webhook-kit/testing";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { prepareRecipe } from "../support/prepare-recipe.ts";
import { mountWebhooks } from "./nest-main.ts";
import { WebhooksModule } from "./nest-module.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;

const log = prepareRecipe({ WEBHOOK_SECRET: secret });
beforeEach(() => log.mockClear());

class EmptyModule {}
Module({})(EmptyModule);

type Application = Awaited<ReturnType<typeof NestFactory.create>>;

async function start(
  module: Type,
  options: { rawBody?: boolean },
  prepare: (app: Application) => unknown = () => undefined,
) {
  const app = await NestFactory.create(module, { logger: false, ...options });
  prepare(app);
  await app.init();
  onTestFinished(() => app.close());
  return app;
}

test.each<[string, ...Parameters<typeof start>]>([
  ["in front of Nest's parser", EmptyModule, {}, mountWebhooks],
  ["as a module's middleware, with only the parsed body", WebhooksModule, {}],
  ["as a module's middleware, with the raw body", WebhooksModule, { rawBody: true }],
])("in Nest, %s, the receiver passes all checks", async (_where, module, options, prepare) => {
  const app = await start(module, options, prepare);
  await using receiver = await testReceiver(app.getHttpServer(), { secret, basePath: "/offers" });
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([["offer_1", "worker_amal", "accepted"]]);
});

test("in Nest, the base URL includes the global prefix", async () => {
  const app = await start(WebhooksModule, {}, (app) => app.setGlobalPrefix("api"));
  await using receiver = await testReceiver(app.getHttpServer(), { secret, basePath: "/api/offers" });
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
});
