import { testReceiver } from "@offers/webhook-kit/testing";
import { expect, onTestFinished, test, vi } from "vitest";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
vi.stubEnv("WEBHOOK_SECRET", secret);
const { app } = await import("./fastify.ts");

test("a Fastify app is right", async () => {
  const log = vi.spyOn(console, "log").mockReturnValue();
  const address = await app.listen({ port: 0, host: "127.0.0.1" });
  onTestFinished(() => app.close());
  await using receiver = await testReceiver(address, { secret, basePath: "/offers" });
  const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
});
