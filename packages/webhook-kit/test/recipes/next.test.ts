import { testReceiver } from "@offers/webhook-kit/testing";
import { expect, test } from "vitest";
import { prepareRecipe } from "../support/prepare-recipe.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const log = prepareRecipe({ WEBHOOK_SECRET: secret });
const { GET, POST } = await import("./next-route.ts");

const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;

// `npm run check -- compatibility recipes` builds this recipe with Next and serves it.
test("a Next route handler passes all checks", async () => {
  expect(GET).toBe(POST);
  await using receiver = await testReceiver(POST, { secret, basePath: "/offers" });
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});
