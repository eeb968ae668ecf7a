import assert from "node:assert/strict";
import { test } from "node:test";
import { OffersClient } from "@offers/client";
import { createTestService } from "@offers/client/testing";
import { webhookHandler } from "@offers/webhook-kit/fetch";
import { signHeaders } from "@offers/webhook-kit/testing";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";

test("the first worker who applies gets the work", async () => {
  const service = createTestService();
  const offers = new OffersClient(service);
  const handler = webhookHandler({
    secret,
    now: service.now,
    onWorkerOfferResponse: ({ offerId, workerId }) => offers.completeOffer(offerId, [workerId]),
  });
  await service.deliverTo(handler, { secret, sign: signHeaders });

  const { id } = await offers.createOffer({ createdByUserId: "user_hana", title: "Bar", workerIds: ["worker_amal"] });
  service.respond(id, "worker_amal", "applied");
  await service.deliver();

  assert.equal((await offers.getOffer(id)).complete, true);
  assert.equal(service.notifications.at(-1)?.reason, "successful");
});
