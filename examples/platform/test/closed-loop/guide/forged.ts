import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestService } from "@offers/client/testing";
import { webhookHandler } from "@offers/webhook-kit/fetch";
import { signHeaders } from "@offers/webhook-kit/testing";

const secret = "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52";

test("handles a webhook once and rejects old and forged ones", async () => {
  const service = createTestService();
  const contacts: string[] = [];
  const rejected: string[] = [];
  const handler = webhookHandler({
    secret,
    now: service.now,
    onWorkerAddedContact: ({ workerId }) => void contacts.push(workerId),
    onRejected: ({ code }) => void rejected.push(code),
  });
  await service.deliverTo(handler, { secret, sign: signHeaders });

  service.addContact("worker_amal");
  const [delivery] = service.deliveries;
  assert.ok(delivery);
  await service.resend(delivery.id, { copies: 2 });
  const [late] = await service.resend(delivery.id, { agoMs: 600_000 });
  const [forged] = await service.resend(delivery.id, { secret: "0d6f3c1e-2d43-4f0e-9b7a-5f0c9a7e8a52" });
  assert.deepEqual([late?.status, forged?.status, contacts], [401, 401, ["worker_amal"]]);
  assert.deepEqual(rejected.slice(-2), ["timestamp_out_of_tolerance", "signature_mismatch"]);
});
