import { once } from "node:events";
import { serve } from "@hono/node-server";
import { testReceiver } from "@offers/webhook-kit/testing";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { prepareRecipe } from "../support/prepare-recipe.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const log = prepareRecipe({ WEBHOOK_SECRET: secret });
const { default: app } = await import("./hono.ts");

const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
beforeEach(() => log.mockClear());

test("a Hono app on Node passes all checks", async () => {
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" ? address?.port : undefined;
  await using receiver = await testReceiver(`http://127.0.0.1:${port}`, { secret, basePath: "/offers" });
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});

test("a Hono app without a server passes all checks", async () => {
  await using receiver = await testReceiver(app, { secret, basePath: "/offers" });
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});
