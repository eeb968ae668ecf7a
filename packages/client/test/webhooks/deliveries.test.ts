import { expect, onTestFinished, test, vi } from "vitest";
import { OffersClient } from "../../src/index.ts";
import { createTestService } from "../../src/testing.ts";
import { input } from "../support/offer.ts";
import { createWebhookFixture, minute, respondStatus, secret, sign } from "./webhook-fixture.ts";

const errorWithCode = (code: string) => expect.objectContaining({ code });

test("a worker's response is delivered, signed and with a delivery id", async () => {
  const { service, webhooks, offerId } = await createWebhookFixture();
  service.respond(offerId, "worker_amal", "applied");
  expect(service.deliveries).toMatchObject([{ state: "pending", attempts: [], nextAttemptAt: service.now() }]);
  expect(webhooks).toEqual([]);
  await service.deliver();
  const [delivery] = service.deliveries;
  const data = { offerId, workerId: "worker_amal", response: "accepted" };
  expect(webhooks).toMatchObject([
    {
      method: "POST",
      url: "https://integrator.test/offer/response",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        "user-agent": "offers-platform",
        "offers-delivery-id": delivery?.id,
        authorization: `signed with ${secret}`,
      },
      body: data,
    },
  ]);
  expect(delivery).toEqual({
    id: delivery?.id,
    type: "workerOfferResponse",
    data,
    state: "acknowledged",
    status: 200,
    attempts: [{ number: 1, at: service.now(), status: 200 }],
  });
});

test("a contact is delivered each time it is added, with the id only in the path", async () => {
  const { service, webhooks } = await createWebhookFixture();
  service.addWorker("a/b ü?", "Ada");
  service.addContact("a/b ü?");
  service.addContact("a/b ü?");
  await service.deliver();
  const url = "https://integrator.test/contact/new/a%2Fb%20%C3%BC%3F";
  expect(webhooks).toMatchObject([
    { method: "GET", url, body: "" },
    { method: "GET", url, body: "" },
  ]);
  expect(service.deliveries).toMatchObject([
    { type: "workerAddedContact", data: { workerId: "a/b ü?" } },
    { type: "workerAddedContact", state: "acknowledged" },
  ]);
});

test("a changed response is an event; a repeated or a rejected response is not", async () => {
  const { service, offers, webhooks, offerId } = await createWebhookFixture();
  for (const response of ["applied", "applied", "rejected", "applied"] as const)
    service.respond(offerId, "worker_amal", response);
  await offers.withdrawOffer(offerId);
  expect(() => service.respond(offerId, "worker_amal", "rejected")).toThrow(errorWithCode("offer_withdrawn"));
  await service.deliver();
  expect(webhooks.map(({ body }) => Object(body).response)).toEqual(["accepted", "rejected", "accepted"]);
});

test("responses to another organisation's offers are not delivered to this receiver", async () => {
  const { service, webhooks } = await createWebhookFixture();
  service.addApiKey("another", { userIds: ["user_bo"] });
  const { id } = await new OffersClient({ ...service, apiKey: "another" }).createOffer({
    createdByUserId: "user_bo",
    title: "Bar",
    workerIds: ["worker_amal"],
  });
  service.respond(id, "worker_amal", "applied");
  await service.deliver();
  expect(webhooks).toEqual([]);
});

test("events that happen before a receiver is registered are never delivered", async () => {
  const { service, handler, profile, webhooks, offerId } = await createWebhookFixture(false);
  service.respond(offerId, "worker_amal", "applied");
  service.addContact("worker_amal");
  await service.deliverTo(handler, profile);
  await service.advance(minute);
  expect(webhooks).toHaveLength(2);
  expect(service.deliveries).toEqual([]);
});

test("one worker's responses to an offer are delivered in order, and other workers' responses do not wait for them", async () => {
  const { service, webhooks, respondWith, offerId } = await createWebhookFixture();
  respondWith(({ body }) => new Response(null, { status: Object(body).workerId === "worker_amal" ? 500 : 200 }));
  for (const response of ["applied", "rejected"] as const)
    for (const workerId of ["worker_amal", "worker_ben"]) service.respond(offerId, workerId, response);
  await service.deliver();
  const listResponses = () => webhooks.map(({ body }) => `${Object(body).workerId} ${Object(body).response}`);
  expect(listResponses()).toEqual(["worker_amal accepted", "worker_ben accepted", "worker_ben rejected"]);
  expect(service.deliveries.map(({ state, nextAttemptAt }) => [state, nextAttemptAt !== undefined])).toEqual([
    ["pending", true],
    ["acknowledged", false],
    ["pending", false],
    ["acknowledged", false],
  ]);
  respondWith(respondStatus(200));
  await service.advance(minute);
  expect(listResponses().slice(3)).toEqual(["worker_amal accepted", "worker_amal rejected"]);
});

test("a handler may call the service, and cause further webhooks", async () => {
  const { service, offers, respondWith, offerId } = await createWebhookFixture();
  respondWith(async ({ url, body }) => {
    if (!url.endsWith("/offer/response")) return new Response();
    await offers.completeOffer(offerId, [Object(body).workerId]);
    service.addContact("worker_ben");
    return new Response();
  });
  service.respond(offerId, "worker_amal", "applied");
  await service.deliver();
  expect(service.deliveries.map(({ state }) => state)).toEqual(["acknowledged", "acknowledged"]);
  expect((await offers.getOffer(offerId)).complete).toBe(true);
});

test("at most eight webhooks are sent concurrently", async () => {
  const { service, respondWith } = await createWebhookFixture();
  let inProgressCount = 0;
  let maxInProgressCount = 0;
  respondWith(async () => {
    inProgressCount += 1;
    maxInProgressCount = Math.max(maxInProgressCount, inProgressCount);
    await new Promise(setImmediate);
    inProgressCount -= 1;
    return new Response();
  });
  for (let times = 0; times < 20; times += 1) service.addContact("worker_amal");
  await service.deliver();
  expect([maxInProgressCount, service.deliveries.every(({ state }) => state === "acknowledged")]).toEqual([8, true]);
});

test("a delivery that a test has read does not change", async () => {
  const { service, offerId } = await createWebhookFixture();
  service.respond(offerId, "worker_amal", "applied");
  const before = service.deliveries;
  await service.deliver();
  expect(before).toMatchObject([{ state: "pending", attempts: [] }]);
});

test("deliveries follow the test runner's fake clock, and no timer is set", async () => {
  vi.useFakeTimers({ now: new Date("2040-01-01T00:00:00Z") });
  onTestFinished(() => void vi.useRealTimers());
  const service = createTestService();
  const { id } = await new OffersClient(service).createOffer(input);
  let isUp = true;
  await service.deliverTo(async () => new Response(null, { status: isUp ? 200 : 503 }), { secret, sign });
  isUp = false;
  service.respond(id, "worker_amal", "applied");
  await service.deliver();
  isUp = true;
  await service.deliver();
  expect(service.deliveries[0]?.attempts).toHaveLength(1);
  vi.setSystemTime(new Date("2040-01-01T00:00:05Z"));
  await service.deliver();
  expect(service.deliveries[0]).toMatchObject({ state: "acknowledged", attempts: [{}, { status: 200 }] });
  expect(vi.getTimerCount()).toBe(0);
});

test("connections are refused during an outage, and a delivery fails if the outage lasts longer than its retries", async () => {
  const service = createTestService();
  const { id } = await new OffersClient(service).createOffer(input);
  let isDown = false;
  const receiver = async () => new Response(null, { status: 200 });
  await service.deliverTo(receiver, { secret, sign, isDown: () => isDown });
  isDown = true;
  service.respond(id, "worker_amal", "applied");
  await service.advance(3 * 86_400_000);
  const [failedDelivery] = service.deliveries;
  expect(failedDelivery).toMatchObject({
    state: "failed",
    attempts: Array(10).fill({ failure: "connection_refused" }),
  });
  await expect(service.deliverTo(receiver, { secret, sign, isDown: () => isDown })).rejects.toMatchObject({
    code: "endpoint_check_failed",
  });
  isDown = false;
  service.redeliver(failedDelivery?.id ?? "");
  await service.deliver();
  expect(service.deliveries[0]?.state).toBe("acknowledged");
});

test("a service with a receiver can still be passed as the client's options", async () => {
  const { service, offerId } = await createWebhookFixture();
  expect(Object.keys(service)).toEqual(["fetch", "baseUrl", "apiKey"]);
  expect((await new OffersClient(service).getOffer(offerId)).id).toBe(offerId);
});
