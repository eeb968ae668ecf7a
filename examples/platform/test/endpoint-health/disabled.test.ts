import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { enableEndpoint, isShownAs, type ShownState } from "../../src/webhooks/disabled-endpoint.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { restartSchedules } from "../../src/webhooks/redeliver.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { recordManyResponses } from "../support/record-many.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { createVirtualTime } from "../support/virtual-time.ts";

describe.each(await anyStore())("disabled endpoints on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let receiver: Receiver;
  let organisationId: string;

  beforeEach(async () => {
    receiver = await openReceiver(respondWith(410));
    organisationId = await addOrganisation(fixture.store, receiver.baseAddress);
  });
  afterEach(async () => {
    expect(fixture.errors).toEqual([]);
    await fixture.reset();
    await receiver.close();
  });

  const recordResponses = (count: number) =>
    fixture.store.transaction(async (trx) => {
      const ids: string[] = [];
      while (ids.length < count) {
        const data = { offerId: "offer-1", workerId: `worker-${ids.length}`, response: "accepted" } as const;
        const event = { type: "workerOfferResponse", data } as const;
        ids.push((await recordEvent(trx, organisationId, event)).deliveryId ?? "");
      }
      return ids;
    });
  const countDeliveries = async (state: ShownState) => {
    const rows = await fixture.store.db
      .selectFrom("deliveries")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where(isShownAs(state))
      .execute();
    return rows.length;
  };
  const waitUntilIdle = () => createVirtualTime(fixture).waitUntilIdle();
  const readEndpoint = () =>
    fixture.store.db
      .selectFrom("endpoints")
      .select(["disabled_because", "disabled_at"])
      .where("organisation_id", "=", organisationId)
      .executeTakeFirstOrThrow();
  /** Enables the endpoint, as the portal does once its checks have passed. */
  const enable = async () => {
    await fixture.store.transaction((trx) => enableEndpoint(trx, organisationId, (path) => path));
    await restartSchedules(fixture.store, organisationId);
  };
  const disable = () =>
    fixture.store.db
      .updateTable("endpoints")
      .set({ disabled_at: new Date(), disabled_because: "gone" })
      .where("organisation_id", "=", organisationId)
      .execute();
  const listReceivedIds = () => receiver.requests.map(({ headers }) => String(headers["offers-delivery-id"]));

  test("an endpoint that responds with 410 is not called again, and its pending and later deliveries are held [D-73]", async () => {
    await recordResponses(40);
    fixture.startDelivery();
    await eventually("all are held", async () => (await countDeliveries("held")) === 40);
    expect(await readEndpoint()).toEqual({ disabled_because: "gone", disabled_at: expect.any(Date) });
    await waitUntilIdle();
    const attempted = receiver.requests.length;
    // Only attempts that were already in flight may still arrive.
    expect(attempted).toBeLessThanOrEqual(16);
    expect(fixture.attempts).toHaveLength(attempted);
    expect(
      fixture.attempts.every(({ outcome, nextAttemptAt }) => outcome === "held" && nextAttemptAt === undefined),
    ).toBe(true);
    await recordResponses(5);
    expect(await countDeliveries("held")).toBe(45);
    await waitUntilIdle();
    expect(receiver.requests).toHaveLength(attempted);
    // Without a wake-up, no process polls for these deliveries.
    expect((await fixture.store.execute("select from outbox_wakeups where queue = 'webhooks'")).rows).toEqual([]);
  });

  test("a disabled endpoint is reported once by mail to each person in the organisation [D-73]", async () => {
    for (const name of ["Hana", "Ben"]) {
      const id = `${name} of ${organisationId}`;
      await fixture.store.db
        .insertInto("people")
        .values({ id, organisation_id: organisationId, name, password_hash: "" })
        .execute();
      for (const domain of ["a", "b"])
        await fixture.store.db
          .insertInto("person_email_addresses")
          .values({ person_id: id, email_address: `${name}@${domain}.${organisationId}.example` })
          .execute();
    }
    await recordResponses(30);
    fixture.startDelivery();
    await eventually("all are held", async () => (await countDeliveries("held")) === 30);
    const mails = await fixture.store.db.selectFrom("mails").select(["to_address", "subject", "body"]).execute();
    expect(mails.map(({ to_address }) => to_address).sort()).toEqual(
      ["Ben", "Hana"].map((name) => `${name}@a.${organisationId}.example`),
    );
    expect(mails[0]).toMatchObject({ subject: "Acme: your webhook endpoint is disabled" });
    expect(mails[0]?.body).toContain("410 Gone");
    await enable();
    await eventually("the endpoint is disabled again", async () => (await readEndpoint()).disabled_because === "gone");
    const countMails = async (subject: string) =>
      (await fixture.store.db.selectFrom("mails").select("id").where("subject", "=", subject).execute()).length;
    await eventually(
      "each person is notified again",
      async () => (await countMails("Acme: your webhook endpoint is disabled")) === 4,
    );
    expect(await countMails("Acme: your webhooks are being delivered again")).toBe(2);
  });

  test("an endpoint receives every held delivery in order once it is enabled [D-73]", async () => {
    await disable();
    const ids = await recordManyResponses(fixture.store, { organisationId, count: 300, workerCount: 30 });
    receiver.respond = respondWith(200);
    await enable();
    expect(await countDeliveries("pending")).toBe(300);
    const laterIds = await recordResponses(30);
    fixture.startDelivery();
    await eventually("all events are delivered", async () => (await countDeliveries("acknowledged")) === 330);
    expect(listReceivedIds()).toHaveLength(330);
    const positionById = new Map(listReceivedIds().map((id, index) => [id, index]));
    const recordedIds = [...ids, ...laterIds];
    for (let worker = 0; worker < 30; worker += 1) {
      const positions = recordedIds
        .filter((_, number) => number % 30 === worker)
        .map((id) => positionById.get(id) ?? Number.NaN);
      expect(positions).toEqual(positions.toSorted((a, b) => a - b));
    }
  });

  test("enabling an endpoint makes all held deliveries due immediately, even more than one claim takes", async () => {
    await recordManyResponses(fixture.store, { organisationId, count: 300, workerCount: 300 });
    await disable();
    fixture.startDelivery();
    await waitUntilIdle();
    expect(await countDeliveries("held")).toBe(300);
    expect(receiver.requests).toEqual([]);
    // Enabling the endpoint must make postponed deliveries due immediately.
    await fixture.store.execute("update deliveries set attempts = 3, due_at = now() + interval '1 hour'");
    receiver.respond = respondWith(200);
    await enable();
    await eventually("all events are delivered", async () => (await countDeliveries("acknowledged")) === 300);
    expect(new Set(fixture.attempts.map(({ number }) => number))).toEqual(new Set([1]));
    expect(new Set(listReceivedIds()).size).toBe(receiver.requests.length);
  });

  test("enabling an endpoint restarts the retry schedule from the beginning", async () => {
    receiver.respond = respondWith(503, { "retry-after": "60" });
    const [id = ""] = await recordResponses(1);
    fixture.startDelivery();
    await eventually("the retry is planned for later", () => receiver.requests.length === 1);
    receiver.respond = respondWith(410);
    // One delivery waits behind the retry. The attempt at the other worker's delivery disables the endpoint.
    await recordResponses(2);
    await eventually("all are held", async () => (await countDeliveries("pending")) === 0);
    receiver.respond = respondWith(200);
    await enable();
    await eventually("the retry is attempted immediately", () => listReceivedIds().lastIndexOf(id) > 0);
    await eventually("all are acknowledged", async () => (await countDeliveries("acknowledged")) === 3);
    const numbers = fixture.attempts.filter(({ deliveryId }) => deliveryId === id).map(({ number }) => number);
    expect(numbers).toEqual([1, 1]);
  });

  test("a delivery whose last attempt fails after the endpoint was enabled gets a new schedule [D-73]", async () => {
    let finish = (): void => undefined;
    receiver.respond = (request, response) => {
      const fail = () => respondWith(500)(request, response);
      if (receiver.requests.length === 1) fail();
      else if (receiver.requests.length === 2) finish = fail;
      else respondWith(200)(request, response);
    };
    const [id = ""] = await recordResponses(1);
    fixture.startDelivery({ retrySchedule: { delaysMs: [10], jitter: 0, maxRetryAfterMs: 0 } });
    await eventually("the last attempt is under way", () => receiver.requests.length === 2);
    await disable();
    await enable();
    finish();
    await eventually("three attempts are reported", () => fixture.attempts.length === 3);
    expect(fixture.attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, "retry"],
      [2, "retry"],
      [1, "acknowledged"],
    ]);
    expect(listReceivedIds()).toEqual([id, id, id]);
  });

  test("a delivery acknowledged while the endpoint was disabled is not sent again", async () => {
    let finish = (): void => undefined;
    receiver.respond = (request, response) => {
      finish = () => respondWith(200)(request, response);
    };
    const [id = ""] = await recordResponses(1);
    fixture.startDelivery();
    await eventually("an attempt is under way", () => receiver.requests.length === 1);
    await disable();
    await eventually("the delivery is held", async () => (await countDeliveries("held")) === 1);
    finish();
    await eventually("the delivery is acknowledged", async () => (await countDeliveries("acknowledged")) === 1);
    await enable();
    receiver.respond = respondWith(200);
    const [nextId = ""] = await recordResponses(1);
    await eventually("the next delivery is acknowledged", async () => (await countDeliveries("acknowledged")) === 2);
    expect(listReceivedIds()).toEqual([id, nextId]);
  });
});
