import assert from "node:assert/strict";
import { test } from "node:test";
import { createTestService } from "@offers/client/testing";
import { signHeaders } from "@offers/webhook-kit/testing";

test("an event survives a one-hour outage", async () => {
  const service = createTestService();
  let isDown = false;
  const handler = async () => new Response(null, { status: isDown ? 503 : 200 });
  await service.deliverTo(handler, { secret: "5f0c9a7e-2d43-4f0e-9b7a-0d6f3c1e8a52", sign: signHeaders });

  isDown = true;
  service.addContact("worker_amal");
  await service.advance(60 * 60_000);
  assert.equal(service.deliveries[0]?.state, "pending");

  isDown = false;
  await service.advance(2 * 60 * 60_000);
  assert.equal(service.deliveries[0]?.state, "acknowledged");
  assert.deepEqual(
    service.deliveries[0]?.attempts.map(({ status }) => status),
    [503, 503, 503, 503, 503, 503, 200],
  );
});
