import { testReceiver } from "@offers/webhook-kit/testing";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";
const event = { offerId: "offer_1", workerId: "worker_amal", response: "accepted" } as const;

/** What webhooks.mjs must do, on every runtime. */
export async function checkWebhooks(address: string): Promise<Record<string, string>> {
  const receiver = await testReceiver(address, { secret, basePath: "/offers" });
  const { status } = await receiver.workerOfferResponse(event);
  const again = await receiver.resend();
  const received = await (await fetch(`${address}/received`)).text();
  const problems = await receiver.checkContract({ workerOfferResponse: event });
  await receiver.close();
  return {
    "an event": status === 200 ? "ok" : `FAILED: ${status}`,
    "the event again": again.status === 200 ? "ok" : `FAILED: ${again.status}`,
    "handled once": received === JSON.stringify([event]) ? "ok" : `FAILED: ${received}`,
    "the contract": problems.length === 0 ? "ok" : `FAILED: ${problems.join("; ")}`,
  };
}
