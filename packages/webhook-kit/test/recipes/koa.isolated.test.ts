import { testReceiver } from "@offers/webhook-kit/testing";
import { expect, test, vi } from "vitest";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
vi.stubEnv("WEBHOOK_SECRET", secret);
const { app } = await import("./koa.ts");

const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
const log = vi.spyOn(console, "log").mockReturnValue();
vi.spyOn(console, "warn").mockReturnValue();

test("a Koa app passes all checks", async () => {
  await using receiver = await testReceiver(app.callback(), { secret, basePath: "/offers" });
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});
