import { describe, expect, test } from "vitest";
import {
  createWebhookFixture,
  hour,
  minute,
  type RecordedWebhook,
  respondStatus,
  type WebhookFixture,
} from "./webhook-fixture.ts";

const day = 24 * hour;
const isContact = ({ url }: RecordedWebhook): boolean => url.includes("/contact/new/");

/** Responds to a contact with `status`, and with 200 to everything else. */
const respondToContacts = ({ respondWith }: WebhookFixture, status: number): void =>
  respondWith((webhook) => respondStatus(isContact(webhook) ? status : 200)());

const getContacts = ({ service }: WebhookFixture) =>
  service.deliveries.filter(({ type }) => type === "workerAddedContact");

/** Adds a contact every second day and a worker's response every week, and expects each response to be delivered immediately. */
async function liveFor(fixture: WebhookFixture, days: number): Promise<void> {
  const { service, webhooks, offerId } = fixture;
  for (let elapsedDays = 0; elapsedDays < days; elapsedDays += 1) {
    if (elapsedDays % 2 === 0) service.addContact("worker_ben");
    if (elapsedDays % 7 === 0) {
      service.respond(offerId, "worker_amal", elapsedDays % 14 === 0 ? "applied" : "rejected");
      await service.deliver();
      expect(webhooks.filter((webhook) => !isContact(webhook))).toHaveLength(elapsedDays / 7 + 1);
      expect(service.deliveries.at(-1)).toMatchObject({ state: "acknowledged", attempts: [{ number: 1 }] });
    }
    await service.advance(day);
  }
}

describe("a receiver without the optional contact endpoint [D-152]", () => {
  test.each([404, 405, 410, 501])(
    "that responds to contacts with %i gets each response for 400 days, and each contact once",
    async (status) => {
      const fixture = await createWebhookFixture();
      respondToContacts(fixture, status);
      await liveFor(fixture, 400);
      const contacts = getContacts(fixture);
      expect(contacts).toHaveLength(200);
      for (const { state, attempts } of contacts)
        expect([state, attempts.map((attempt) => attempt.status)]).toEqual(["not_implemented", [status]]);
    },
  );

  test.each([500, 401, 0])(
    "that responds to contacts with %i gets each response for 100 days, and each contact ten times",
    async (status) => {
      const fixture = await createWebhookFixture();
      if (status !== 0) respondToContacts(fixture, status);
      else
        fixture.respondWith((webhook) => {
          if (isContact(webhook)) throw new TypeError("fetch failed", { cause: { code: "ECONNREFUSED" } });
          return respondStatus(200)();
        });
      await liveFor(fixture, 100);
      const givenUp = getContacts(fixture).filter(({ state }) => state === "failed");
      expect(givenUp).toHaveLength(50);
      for (const { attempts } of givenUp) expect(attempts).toHaveLength(10);
    },
  );
});

describe("a receiver that has acknowledged a contact [D-152]", () => {
  test("loses no contact while it responds with 404 for an hour", async () => {
    const fixture = await createWebhookFixture();
    const { service } = fixture;
    service.addContact("worker_amal");
    await service.deliver();
    respondToContacts(fixture, 404);
    service.addContact("worker_ben");
    await service.advance(hour);
    respondToContacts(fixture, 200);
    await service.advance(day);
    expect(getContacts(fixture).map(({ state }) => state)).toEqual(["acknowledged", "acknowledged"]);
  });

  test("counts as one that has not once its base URL changes", async () => {
    const fixture = await createWebhookFixture();
    const { service, handler, profile } = fixture;
    service.addContact("worker_amal");
    await service.deliver();
    await service.deliverTo(handler, { ...profile, baseUrl: "https://integrator.test/v2" });
    respondToContacts(fixture, 404);
    service.addContact("worker_ben");
    await service.deliver();
    // The earlier base URL starts again too, as on the platform.
    await service.deliverTo(handler, profile);
    service.addContact("worker_ben");
    await service.deliver();
    expect(getContacts(fixture).map(({ state }) => state)).toEqual([
      "acknowledged",
      "not_implemented",
      "not_implemented",
    ]);
  });
});

test("after a pause, workers' responses are attempted before contacts, which cannot end it [D-72] [D-152]", async () => {
  const fixture = await createWebhookFixture();
  const { service, webhooks, respondWith, offerId, applyForOffers } = fixture;
  respondWith(respondStatus(503));
  await applyForOffers(10);
  await service.deliver();
  service.addContact("worker_ben");
  service.respond(offerId, "worker_amal", "applied");
  respondToContacts(fixture, 500);
  await service.advance(minute);
  expect(webhooks.slice(10, 12).map(isContact)).toEqual([false, true]);
});

test("a contact that was not implemented can be redelivered under its id [D-152]", async () => {
  const fixture = await createWebhookFixture();
  const { service } = fixture;
  respondToContacts(fixture, 404);
  service.addContact("worker_amal");
  await service.deliver();
  respondToContacts(fixture, 200);
  const [contact] = getContacts(fixture);
  expect(service.redeliver(contact?.id ?? "")).toBe(contact?.id);
  await service.deliver();
  expect(getContacts(fixture)).toMatchObject([{ state: "acknowledged", attempts: [{ status: 404 }, { status: 200 }] }]);
});

test("an acknowledged contact does not end the failing period of an address that rejects responses [D-152]", async () => {
  const { service, respondWith, offerId } = await createWebhookFixture();
  respondWith((webhook) => respondStatus(isContact(webhook) ? 200 : 401)());
  for (let elapsedDays = 0; elapsedDays < 6; elapsedDays += 1) {
    service.addContact("worker_ben");
    service.respond(offerId, "worker_amal", elapsedDays % 2 === 0 ? "applied" : "rejected");
    await service.advance(day);
  }
  expect(service.deliveries.at(-1)?.state).toBe("held");
});
