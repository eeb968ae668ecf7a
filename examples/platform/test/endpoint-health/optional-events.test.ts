import { defaultRetrySchedule } from "@offers/contract/retry-schedule";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { enableEndpoint } from "../../src/webhooks/disabled-endpoint.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { redeliver, restartSchedules } from "../../src/webhooks/redeliver.ts";
import { addOrganisation } from "../support/delivery-fixture.ts";
import { hangUp, openReceiver, type ReceivedRequest, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { useDeliveryFixture } from "../support/use-opened.ts";
import { createVirtualTime, type VirtualTime } from "../support/virtual-time.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const isContact = ({ url }: ReceivedRequest): boolean => url.startsWith("/contact/new/");

describe.each(await anyStore())("optional events on $title", ({ createDatabase }) => {
  const fixture = useDeliveryFixture(createDatabase);
  let time: VirtualTime;
  let receiver: Receiver;
  let organisationId: string;

  beforeEach(async () => {
    receiver = await openReceiver();
    organisationId = await addOrganisation(fixture.store, receiver.baseAddress);
    const person = { id: `person of ${organisationId}`, organisation_id: organisationId, name: "Hana" };
    await fixture.store.db
      .insertInto("people")
      .values({ ...person, password_hash: "" })
      .execute();
    await fixture.store.db
      .insertInto("person_email_addresses")
      .values({ person_id: person.id, email_address: `hana@${organisationId}.example` })
      .execute();
    time = createVirtualTime(fixture);
    fixture.startDelivery({ now: time.now, retrySchedule: defaultRetrySchedule });
  });
  afterEach(async () => {
    expect(fixture.errors).toEqual([]);
    await fixture.reset();
    await receiver.close();
  });

  const addContact = () =>
    fixture.store.transaction((trx) =>
      recordEvent(trx, organisationId, { type: "workerAddedContact", data: { workerId: "worker-1" } }),
    );
  const respondToOffer = (offerId: string) =>
    fixture.store.transaction((trx) =>
      recordEvent(trx, organisationId, {
        type: "workerOfferResponse",
        data: { offerId, workerId: "worker-1", response: "accepted" },
      }),
    );
  const respondToContacts = (status: number) => {
    receiver.respond = (request, response) => {
      if (isContact(request) && status === 0) hangUp(request, response);
      else respondWith(isContact(request) ? status : 200)(request, response);
    };
  };
  const readStates = async (type: "workerAddedContact" | "workerOfferResponse") => {
    const rows = await fixture.store.db
      .selectFrom("deliveries")
      .innerJoin("events", "events.id", "event_id")
      .select(["state", "attempts"])
      .where("type", "=", type)
      .orderBy("sequence")
      .execute();
    return rows.map(({ state, attempts }) => `${state} ${attempts}`);
  };
  const countMails = async () => (await fixture.store.db.selectFrom("mails").select("id").execute()).length;
  const readEndpoint = () =>
    fixture.store.db
      .selectFrom("endpoints")
      .select(["consecutive_failures", "failing_since", "breaker_open_until", "disabled_at"])
      .where("organisation_id", "=", organisationId)
      .executeTakeFirstOrThrow();
  const healthy = { consecutive_failures: 0, failing_since: null, breaker_open_until: null, disabled_at: null };
  const wait = async (ms: number) => {
    await time.waitUntilIdle();
    await time.advance(ms);
    await time.waitUntilIdle();
  };

  test.each([
    [404, 30, "not_implemented 1"],
    [405, 10, "not_implemented 1"],
    [410, 10, "not_implemented 1"],
    [501, 10, "not_implemented 1"],
  ])(
    "a receiver that responds to contacts with %i gets each response for %i days, and each contact once [D-152]",
    async (status, days, state) => {
      respondToContacts(status);
      for (let day = 0; day < days; day += 1) {
        if (day % 2 === 0) await addContact();
        if (day % 7 === 0) await respondToOffer(`offer-${day}`);
        await wait(dayMs);
        const responses = receiver.requests.filter((request) => !isContact(request));
        expect(responses).toHaveLength(Math.floor(day / 7) + 1);
      }
      expect(receiver.requests.filter(isContact)).toHaveLength(days / 2);
      expect(new Set(await readStates("workerAddedContact"))).toEqual(new Set([state]));
      expect(new Set(await readStates("workerOfferResponse"))).toEqual(new Set(["acknowledged 1"]));
      expect([await countMails(), await readEndpoint()]).toEqual([0, healthy]);
    },
  );

  test.each([500, 0])(
    "a receiver that fails every contact with %i is neither paused nor disabled, and contacts are given up after ten attempts [D-152]",
    async (status) => {
      respondToContacts(status);
      for (let day = 0; day < 8; day += 1) {
        if (day < 6) for (let contact = 0; contact < 3; contact += 1) await addContact();
        await respondToOffer(`offer-${day}`);
        await time.waitUntilIdle();
        expect((await readStates("workerOfferResponse")).at(-1)).toBe("acknowledged 1");
        const nextDayAt = time.now().getTime() + dayMs;
        await time.advanceUntil(async () => ((await time.nextDueAt())?.getTime() ?? nextDayAt) >= nextDayAt);
        await time.advance(Math.max(0, nextDayAt - time.now().getTime()));
      }
      expect(new Set(await readStates("workerAddedContact"))).toEqual(new Set(["dead 10"]));
      expect([await countMails(), await readEndpoint()]).toEqual([0, healthy]);
    },
  );

  test("after a pause, workers' responses are attempted before contacts, which cannot end it [D-72]", async () => {
    receiver.respond = respondWith(503);
    for (let offer = 0; offer < 10; offer += 1) await respondToOffer(`offer-${offer}`);
    await time.waitUntilIdle();
    expect((await readEndpoint()).breaker_open_until).not.toBeNull();
    respondToContacts(0);
    // In one transaction, because the pause is short.
    await fixture.store.transaction(async (trx) => {
      for (let contact = 0; contact < 3; contact += 1)
        await recordEvent(trx, organisationId, { type: "workerAddedContact", data: { workerId: "worker-1" } });
      const data = { offerId: "offer-10", workerId: "worker-1", response: "accepted" } as const;
      await recordEvent(trx, organisationId, { type: "workerOfferResponse", data });
    });
    await wait(40_000);
    const [firstAfterPause, ...others] = receiver.requests.slice(10);
    expect(firstAfterPause?.url).toBe("/offer/response");
    expect(others.filter(isContact).length).toBeGreaterThanOrEqual(3);
    expect(await readEndpoint()).toMatchObject(healthy);
  });

  test("an address that has acknowledged a contact loses none while it responds with 404 for an hour [D-152]", async () => {
    await addContact();
    await time.waitUntilIdle();
    respondToContacts(404);
    await addContact();
    await wait(hourMs);
    expect(await readStates("workerAddedContact")).toEqual(["acknowledged 1", expect.stringMatching(/^pending /)]);
    receiver.respond = respondWith(200);
    await time.advanceUntil(async () => (await readStates("workerAddedContact"))[1]?.startsWith("ack") === true);
    expect(await readEndpoint()).toMatchObject(healthy);
  });

  test("a contact that was not implemented is redelivered by hand under its id, and its acknowledgement is remembered [D-152]", async () => {
    respondToContacts(404);
    const { deliveryId = "" } = await addContact();
    await time.waitUntilIdle();
    receiver.respond = respondWith(200);
    expect(await redeliver(fixture.store, organisationId, deliveryId)).toEqual({
      outcome: "redelivered",
      id: deliveryId,
    });
    await time.waitUntilIdle();
    respondToContacts(404);
    await addContact();
    await time.waitUntilIdle();
    expect(await readStates("workerAddedContact")).toEqual(["acknowledged 1", "pending 1"]);
  });

  test("after six days in which the whole address was down, held responses arrive in order [D-73] [D-152]", async () => {
    receiver.respond = respondWith(503);
    for (let day = 0; day < 6; day += 1) {
      await addContact();
      await respondToOffer("offer-1");
      const nextDayAt = time.now().getTime() + dayMs;
      await time.advanceUntil(async () => ((await time.nextDueAt())?.getTime() ?? nextDayAt) >= nextDayAt);
      await time.advance(Math.max(0, nextDayAt - time.now().getTime()));
      await time.waitUntilIdle();
    }
    expect((await readEndpoint()).disabled_at).not.toBeNull();
    const pendingBefore = await readStates("workerOfferResponse");
    const received: string[] = [];
    receiver.respond = (request, response) => {
      if (!isContact(request)) received.push(String(request.headers["offers-delivery-id"]));
      respondWith(200)(request, response);
    };
    await fixture.store.transaction((trx) => enableEndpoint(trx, organisationId, (path) => path));
    await restartSchedules(fixture.store, organisationId);
    await time.advanceUntil(async () => !(await readStates("workerOfferResponse")).join().includes("pending"));
    expect(received).toHaveLength(pendingBefore.filter((state) => state.startsWith("pending")).length);
    expect(received).toEqual(received.toSorted());
  });
});
