import { testReceiver } from "@offers/webhook-kit/testing";
import { expect, test } from "vitest";
import { prepareRecipe } from "../support/prepare-recipe.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const log = prepareRecipe({ WEBHOOK_SECRET: secret });
const { app } = await import("./express.ts");

const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;

test("an Express app passes all checks, in front of its body parser", async () => {
  await using receiver = await testReceiver(app, { secret, basePath: "/offers" });
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});
