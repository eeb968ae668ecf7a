import { testReceiver } from "@offers/webhook-kit/testing";
import { expect, test, vi } from "vitest";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
vi.stubEnv("WEBHOOK_SECRET", secret);
const { app } = await import("./express.ts");

const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
const log = vi.spyOn(console, "log").mockReturnValue();
vi.spyOn(console, "warn").mockReturnValue();

test("an Express app is right, in front of its body parser", async () => {
  await using receiver = await testReceiver(app, { secret, basePath: "/offers" });
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});
