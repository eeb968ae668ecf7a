import { createTestService } from "@offers/client/testing";
import { standardWebhooks } from "@offers/webhook-kit";
import { webhookHandler } from "@offers/webhook-kit/fetch";
import { signHeaders } from "@offers/webhook-kit/testing";
import { expect, test } from "vitest";
import { captureConsole } from "../../../../packages/webhook-kit/test/support/capture-console.ts";
import { storySecret as secret } from "./story-receiver.ts";

captureConsole();

const hourMs = 3_600_000;
type SignWebhook = typeof signHeaders;
const withDefaultScheme = { scheme: undefined, sign: signHeaders };
const scheme = standardWebhooks();
const withStandardWebhooks = { scheme, sign: ((message) => signHeaders({ ...message, scheme })) satisfies SignWebhook };

test.each([
  ["with the documented scheme", withDefaultScheme],
  ["with Standard Webhooks", withStandardWebhooks],
])("events signed %s are handled, but not duplicate, late or forged events", async (_, { scheme, sign }) => {
  const service = createTestService();
  const handled: string[] = [];
  const handler = webhookHandler({
    secret,
    now: service.now,
    ...(scheme && { scheme }),
    onRejected: () => undefined,
    onWorkerAddedContact: ({ workerId }) => void handled.push(workerId),
  });
  await service.deliverTo(handler, { secret, sign });
  for (const workerId of ["worker_amal", "worker_ben", "worker_ben"]) service.addContact(workerId);
  await service.deliver();
  expect(handled).toEqual(["worker_amal", "worker_ben", "worker_ben"]);

  const [id = ""] = service.deliveries.map(({ id }) => id);
  await service.advance(hourMs);
  handled.length = 0;
  const resendStatuses = async (options?: Parameters<typeof service.resend>[1]) =>
    (await service.resend(id, options)).map(({ status }) => status);
  expect(await resendStatuses({ agoMs: hourMs })).toEqual([401]);
  expect(await resendStatuses({ secret: `whsec_${"A".repeat(32)}` })).toEqual([401]);
  expect(handled).toEqual([]);
  const [first, second] = await resendStatuses({ copies: 2 });
  expect(first).toBe(200);
  expect([200, 409]).toContain(second);
  expect(handled.length).toBe(scheme ? 0 : 1);
});

test("a receiver on the service's clock accepts a retry a day later", async () => {
  const service = createTestService();
  let isDown = false;
  const webhooks = webhookHandler({ secret, now: service.now, onWorkerAddedContact: () => undefined });
  const handler = async (request: Request) => (isDown ? new Response(null, { status: 503 }) : webhooks(request));
  await service.deliverTo(handler, { secret, sign: signHeaders });
  isDown = true;
  service.addContact("worker_amal");
  await service.advance(24 * hourMs);
  isDown = false;
  await service.advance(24 * hourMs);
  expect(service.deliveries).toMatchObject([{ state: "acknowledged", status: 200 }]);
});
