import { testReceiver } from "@offers/webhook-kit/testing";
import { expect, test } from "vitest";
import { prepareRecipe } from "../support/prepare-recipe.ts";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const log = prepareRecipe({ WEBHOOK_SECRET: secret });
const { fallback } = await import("./sveltekit-server.ts");

const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;

// SvelteKit calls `fallback` for every method, with the Request in its event.
test("a SvelteKit endpoint passes all checks", async () => {
  await using receiver = await testReceiver((request: Request) => fallback({ request }), {
    secret,
    basePath: "/offers",
  });
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});
