import { expect, test } from "vitest";
import { createWebhookFixture, hour, minute, respondStatus } from "./webhook-fixture.ts";

const errorWithCode = (code: string) => expect.objectContaining({ code });

test("an acknowledged delivery is redelivered with a new id, a failed delivery with its old id", async () => {
  const { service, webhooks, respondWith, offerId } = await createWebhookFixture();
  service.addContact("worker_amal");
  await service.deliver();
  respondWith(respondStatus(404));
  service.respond(offerId, "worker_ben", "applied");
  expect(() => service.redeliver(service.deliveries[1]?.id ?? "")).toThrow(errorWithCode("delivery_pending"));
  await service.advance(60 * hour);
  const [acknowledged, failed] = service.deliveries.map(({ id }) => id);
  respondWith(respondStatus(200));
  webhooks.length = 0;
  const ids = [service.redeliver(acknowledged ?? ""), service.redeliver(failed ?? "")];
  expect(ids).toEqual([expect.not.stringMatching(`${acknowledged}`), failed]);
  await service.deliver();
  expect(webhooks.map(({ headers }) => headers["offers-delivery-id"])).toEqual(expect.arrayContaining(ids));
  expect(service.deliveries.map(({ id, state }) => [id, state])).toEqual([
    [acknowledged, "acknowledged"],
    [failed, "acknowledged"],
    [ids[0], "acknowledged"],
  ]);
  expect(service.deliveries[1]?.attempts.at(-1)).toMatchObject({ number: 1, status: 200 });
});

test("a response cannot be redelivered twice, nor after a later response by the same worker", async () => {
  const { service, offerId } = await createWebhookFixture();
  service.respond(offerId, "worker_amal", "applied");
  service.respond(offerId, "worker_amal", "rejected");
  await service.deliver();
  const [firstId = "", lastId = ""] = service.deliveries.map(({ id }) => id);
  expect(() => service.redeliver(firstId)).toThrow(errorWithCode("delivery_superseded"));
  const newId = service.redeliver(lastId);
  expect(() => service.redeliver(lastId)).toThrow(errorWithCode("delivery_superseded"));
  expect(() => service.redeliver(newId)).toThrow(errorWithCode("delivery_pending"));
});

test("a webhook can be duplicated, delayed and forged, and the delivery does not change", async () => {
  const { service, webhooks, offerId } = await createWebhookFixture();
  service.respond(offerId, "worker_amal", "applied");
  await service.deliver();
  const before = service.deliveries;
  const id = before[0]?.id ?? "";
  webhooks.length = 0;
  expect(await service.resend(id, { copies: 2 })).toEqual([{ status: 200 }, { status: 200 }]);
  expect(await service.resend(id, { agoMs: 10 * minute })).toEqual([{ status: 200 }]);
  expect(await service.resend(id, { secret: "another" })).toEqual([{ status: 200 }]);
  expect(webhooks[0]).toEqual(webhooks[1]);
  expect(webhooks.map(({ headers }) => [headers["offers-delivery-id"], headers.authorization])).toEqual([
    ...Array(3).fill([id, expect.stringMatching(/^signed with 5f0c/)]),
    [id, "signed with another"],
  ]);
  expect(webhooks[2]?.headers.timestamp).toBe("2030-05-01T11:50:00.000Z");
  expect(service.deliveries).toEqual(before);
});

test("a webhook can be sent before its first attempt", async () => {
  const { service, respondWith, offerId } = await createWebhookFixture();
  service.respond(offerId, "worker_amal", "applied");
  respondWith(() => {
    throw new Error("down");
  });
  const [id = ""] = service.deliveries.map(({ id }) => id);
  expect(await service.resend(id)).toEqual([{ failure: "connection_lost", error: new Error("down") }]);
  expect(service.deliveries).toMatchObject([{ state: "pending", attempts: [] }]);
});
