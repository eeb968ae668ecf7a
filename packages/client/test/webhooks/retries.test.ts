import { expect, test } from "vitest";
import { createWebhookFixture, hour, minute, respondStatus, second, type WebhookFixture } from "./webhook-fixture.ts";

const delaysSeconds = [5, 30, 120, 600, 1_800, 7_200, 21_600, 43_200, 86_400];

/** Returns when each attempt at a delivery was made, in seconds since the start. */
const getAttemptSeconds = ({ service, elapsedMs }: WebhookFixture, index = 0): number[] => {
  const startedAt = service.now().getTime() - elapsedMs();
  return (service.deliveries[index]?.attempts ?? []).map(({ at }) => (at.getTime() - startedAt) / second);
};

test("ten attempts are made over about 45 hours, each when it is due; then the delivery has failed", async () => {
  const fixture = await createWebhookFixture();
  const { service, respondWith, offerId } = fixture;
  respondWith(respondStatus(404));
  service.respond(offerId, "worker_amal", "applied");
  await service.advance(100 * hour);
  const delays = getAttemptSeconds(fixture).map((seconds, index, allSeconds) => seconds - (allSeconds[index - 1] ?? 0));
  expect(delays).toEqual([0, ...delaysSeconds]);
  expect(service.deliveries).toMatchObject([{ state: "failed", status: 404 }]);
  expect(service.deliveries[0]?.attempts.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  expect(fixture.elapsedMs()).toBe(100 * hour);
});

test("nothing is retried until the test moves the clock [D-69]", async () => {
  const { service, webhooks, respondWith, offerId } = await createWebhookFixture();
  respondWith(respondStatus(500));
  service.respond(offerId, "worker_amal", "applied");
  await service.deliver();
  await service.deliver();
  await service.advance(5 * second - 1);
  expect(webhooks).toHaveLength(1);
  await service.advance(1);
  expect(webhooks).toHaveLength(2);
});

test.each([
  ["1", 5],
  ["60", 60],
  ["864000", 6 * 3_600],
  ["soon", 5],
  ["Wed, 01 May 2030 12:01:40 GMT", 100],
  ["Wed May  1 12:01:40 2030", 100],
])("with Retry-After: %s, a delivery is retried after %i seconds", async (header, seconds) => {
  const fixture = await createWebhookFixture();
  fixture.respondWith(respondStatus(503, { "retry-after": header }));
  fixture.service.respond(fixture.offerId, "worker_amal", "applied");
  await fixture.service.advance(seconds * second);
  expect(getAttemptSeconds(fixture)).toEqual([0, seconds]);
});

test.each([204, 302, 500])("a delivery is retried after a %i, because only 200 acknowledges it", async (code) => {
  const { service, respondWith, offerId } = await createWebhookFixture();
  respondWith(respondStatus(code));
  service.respond(offerId, "worker_amal", "applied");
  await service.deliver();
  expect(service.deliveries).toMatchObject([
    { state: "pending", status: code, attempts: [{ failure: "not_acknowledged" }] },
  ]);
});

test("an attempt without a response times out after 15 seconds on the test's clock", async () => {
  const fixture = await createWebhookFixture();
  const { service, respondWith, offerId, elapsedMs } = fixture;
  respondWith(() => new Promise(() => {}));
  service.respond(offerId, "worker_amal", "applied");
  const deliverCall = service.deliver();
  await new Promise(setImmediate);
  respondWith(respondStatus(200));
  await service.advance(15 * second);
  await deliverCall;
  expect(service.deliveries).toMatchObject([{ state: "pending", attempts: [{ number: 1, failure: "timeout" }] }]);
  expect(service.deliveries[0]).not.toHaveProperty("status");
  await service.advance(5 * second);
  expect([service.deliveries[0]?.state, elapsedMs()]).toEqual(["acknowledged", 20 * second]);
});

test("a truncated body counts as a lost connection, and an endless body is not read completely", async () => {
  const { service, respondWith } = await createWebhookFixture();
  const endlessBody = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(10_000)) });
  const truncatedBody = new ReadableStream({ pull: (controller) => controller.error(new Error("cut")) });
  const bodies = [truncatedBody, endlessBody];
  respondWith(() => new Response(bodies.shift() ?? null));
  service.addContact("worker_amal");
  service.addContact("worker_amal");
  await service.deliver();
  expect(service.deliveries).toMatchObject([
    { state: "pending", attempts: [{ failure: "connection_lost", error: { message: "cut" } }] },
    { state: "acknowledged" },
  ]);
});

test("a 410 disables the endpoint, and its deliveries are held until it is registered again and then made in order", async () => {
  const { service, handler, profile, webhooks, respondWith, offerId } = await createWebhookFixture();
  respondWith(respondStatus(410));
  service.respond(offerId, "worker_amal", "applied");
  await service.deliver();
  service.respond(offerId, "worker_amal", "rejected");
  await service.advance(200 * hour);
  expect(webhooks).toHaveLength(1);
  expect(service.deliveries).toMatchObject([
    { state: "held", status: 410 },
    { state: "held", attempts: [] },
  ]);
  expect(service.deliveries.some((delivery) => "nextAttemptAt" in delivery)).toBe(false);
  respondWith(respondStatus(200));
  await service.deliverTo(handler, profile);
  await service.deliver();
  expect(webhooks.slice(-2).map(({ body }) => Object(body).response)).toEqual(["accepted", "rejected"]);
  expect(service.deliveries).toMatchObject([
    { state: "acknowledged", attempts: [{ number: 1 }, { number: 1, status: 200 }] },
    { state: "acknowledged" },
  ]);
});

test("five days without an acknowledgement disable the endpoint", async () => {
  const { service, respondWith, applyForOffers } = await createWebhookFixture();
  respondWith(respondStatus(401));
  for (let day = 0; day < 6; day += 1) {
    await applyForOffers(1);
    await service.advance(23 * hour);
  }
  expect(service.deliveries.at(-1)?.state).toBe("held");
});

test("ten consecutive failures open the circuit breaker, and after a delay one attempt decides whether it closes", async () => {
  const { service, webhooks, respondWith, applyForOffers } = await createWebhookFixture();
  respondWith(respondStatus(503));
  for (let times = 0; times < 12; times += 1) {
    await applyForOffers(1);
    await service.deliver();
  }
  expect(webhooks).toHaveLength(10);
  await service.advance(30 * second);
  expect(webhooks).toHaveLength(11);
  await service.advance(minute - 1);
  expect(webhooks).toHaveLength(11);
  respondWith(respondStatus(200));
  await service.advance(1);
  expect(service.deliveries.map(({ state }) => state)).toEqual(Array(12).fill("acknowledged"));
});

test("saving the profile closes the circuit breaker and restarts the retry schedules", async () => {
  const { service, handler, profile, webhooks, respondWith, applyForOffers } = await createWebhookFixture();
  respondWith(respondStatus(503));
  await applyForOffers(10);
  await service.advance(10 * minute);
  respondWith(respondStatus(200));
  await service.deliverTo(handler, profile);
  webhooks.length = 0;
  await service.deliver();
  expect(webhooks).toHaveLength(10);
});

test("a failed attempt does not count if the profile was replaced in the meantime", async () => {
  const { service, handler, profile, respondWith, applyForOffers } = await createWebhookFixture();
  let fail = (): void => {};
  respondWith(() => new Promise((resolve) => (fail = () => resolve(new Response(null, { status: 410 })))));
  await applyForOffers(1);
  const deliverCall = service.deliver();
  await new Promise(setImmediate);
  respondWith(respondStatus(200));
  await service.deliverTo(handler, profile);
  fail();
  await deliverCall;
  expect(service.deliveries).toMatchObject([{ state: "acknowledged", attempts: [{ status: 410 }, { number: 1 }] }]);
});
