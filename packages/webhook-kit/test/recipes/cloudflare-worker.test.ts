import { testReceiver } from "@offers/webhook-kit/testing";
import { beforeEach, expect, test, vi } from "vitest";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const { default: worker } = await import("./cloudflare-worker.ts");

const accepted = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;
const log = vi.spyOn(console, "log").mockReturnValue();
const warn = vi.spyOn(console, "warn").mockReturnValue();
beforeEach(() => log.mockClear());

const start = () =>
  testReceiver((request: Request) => worker.fetch(request, { WEBHOOK_SECRET: secret }), {
    secret,
    basePath: "/offers",
  });

test("a Worker reads its secret from the environment of the first request", async () => {
  await using receiver = await start();
  expect(await receiver.checkContract({ workerOfferResponse: accepted })).toEqual([]);
  expect(log.mock.calls).toEqual([Object.values(accepted)]);
  expect(warn).toHaveBeenCalled();
});

test("a Worker uses one receiver for all requests, so a repeated event is handled once", async () => {
  await using receiver = await start();
  expect([(await receiver.workerOfferResponse(accepted)).status, (await receiver.resend()).status]).toEqual([200, 200]);
  expect(log).toHaveBeenCalledTimes(1);
});
