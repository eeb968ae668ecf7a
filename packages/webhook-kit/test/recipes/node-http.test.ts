import { testReceiver } from "@offers/webhook-kit/testing";
import { expect, test } from "vitest";
import { prepareRecipe } from "../support/prepare-recipe.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const log = prepareRecipe({ WEBHOOK_SECRET: secret });
const { server } = await import("./node-http.ts");

test("a node:http server passes all checks", async () => {
  await using receiver = await testReceiver(server, { secret, basePath: "/offers" });
  const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});
