import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enableEndpoint, restartSchedules } from "../../src/delivery/enable-endpoint.ts";
import { recordEvent } from "../../src/delivery/record-event.ts";
import { isShownAs, type ShownState } from "../../src/delivery/shown-state.ts";
import { eventually } from "../support/eventually.ts";
import { addOrganisation, type LowerHalf, openLowerHalf } from "../support/lower-half.ts";
import { answerWith, openReceiver, type Receiver } from "../support/receiver.ts";
import { recordMany } from "../support/record-many.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";
import { virtualTime } from "../support/virtual-time.ts";

describe.each(await storesUnderTest())("a disabled endpoint on $title", ({ createPlace }) => {
  let place: StorePlace;
  let half: LowerHalf;
  let receiver: Receiver;
  let organisationId: string;

  beforeAll(async () => {
    place = await createPlace();
    half = await openLowerHalf(place);
  });
  afterAll(async () => {
    await half.close();
    await place.remove();
  });
  beforeEach(async () => {
    receiver = await openReceiver(answerWith(410));
    organisationId = await addOrganisation(half.store, receiver.baseAddress);
  });
  afterEach(async () => {
    expect(half.errors).toEqual([]);
    await half.reset();
    await receiver.close();
  });

  const start = () => half.startDelivery();
  const record = (count: number) =>
    half.store.transaction(async (trx) => {
      const ids: string[] = [];
      while (ids.length < count) {
        const data = { offerId: "offer-1", workerId: `worker-${ids.length}`, response: "accepted" } as const;
        const event = { type: "workerOfferResponse", data } as const;
        ids.push((await recordEvent(trx, organisationId, event)).deliveryId ?? "");
      }
      return ids;
    });
  const countOf = async (state: ShownState) => {
    const rows = await half.store.db
      .selectFrom("deliveries")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where(isShownAs(state))
      .execute();
    return rows.length;
  };
  const quiet = () => virtualTime(half).quiet();
  const endpoint = () =>
    half.store.db
      .selectFrom("endpoints")
      .select(["disabled_because", "disabled_at"])
      .where("organisation_id", "=", organisationId)
      .executeTakeFirstOrThrow();
  /** As the portal does once the checks have passed. */
  const enable = async () => {
    await half.store.transaction((trx) => enableEndpoint(trx, organisationId));
    await restartSchedules(half.store, organisationId);
  };
  const disable = () =>
    half.store.db
      .updateTable("endpoints")
      .set({ disabled_at: new Date(), disabled_because: "gone" })
      .where("organisation_id", "=", organisationId)
      .execute();
  const told = () => receiver.requests.map(({ headers }) => String(headers["offers-delivery-id"]));

  test("is not called again after 410: what was pending is held, and so is what happens from then on", async () => {
    await record(40);
    start();
    await eventually("all are held", async () => (await countOf("held")) === 40);
    expect(await endpoint()).toEqual({ disabled_because: "gone", disabled_at: expect.any(Date) });
    await quiet();
    const attempted = receiver.requests.length;
    // Those that were under way.
    expect(attempted).toBeLessThanOrEqual(16);
    expect(half.attempts).toHaveLength(attempted);
    expect(half.attempts.every(({ outcome, nextAttemptAt }) => outcome === "held" && nextAttemptAt === undefined)).toBe(
      true,
    );
    await record(5);
    expect(await countOf("held")).toBe(45);
    await quiet();
    expect(receiver.requests).toHaveLength(attempted);
    // Nobody looks at them again before it is enabled.
    expect((await half.store.execute("select from outbox_wakeups where queue = 'webhooks'")).rows).toEqual([]);
  });

  test("is told once to each person of the organisation, by mail", async () => {
    for (const name of ["Hana", "Ben"]) {
      const id = `${name} of ${organisationId}`;
      await half.store.db
        .insertInto("people")
        .values({ id, organisation_id: organisationId, name, password_hash: "" })
        .execute();
      for (const place of ["a", "b"])
        await half.store.db
          .insertInto("person_email_addresses")
          .values({ person_id: id, email_address: `${name}@${place}.${organisationId}.example` })
          .execute();
    }
    await record(30);
    start();
    await eventually("all are held", async () => (await countOf("held")) === 30);
    const mails = await half.store.db.selectFrom("mails").select(["to_address", "subject", "body"]).execute();
    expect(mails.map(({ to_address }) => to_address).sort()).toEqual(
      ["Ben", "Hana"].map((name) => `${name}@a.${organisationId}.example`),
    );
    expect(mails[0]).toMatchObject({ subject: "Acme: your webhooks are switched off" });
    expect(mails[0]?.body).toContain("(410)");
    await enable();
    await eventually("it is disabled again", async () => (await endpoint()).disabled_because === "gone");
    await eventually(
      "and told again",
      async () => (await half.store.db.selectFrom("mails").select("id").execute()).length === 4,
    );
  });

  test("gets everything in order once it is enabled, however much was held", async () => {
    await disable();
    const ids = await recordMany(half.store, { organisationId, count: 1_200, workers: 60 });
    receiver.answer = answerWith(200);
    await enable();
    expect(await countOf("pending")).toBe(1_200);
    const later = await record(60);
    start();
    await eventually("all are delivered", async () => (await countOf("acknowledged")) === 1_260);
    expect(told()).toHaveLength(1_260);
    const place = new Map(told().map((id, index) => [id, index]));
    const all = [...ids, ...later];
    for (let worker = 0; worker < 60; worker += 1) {
      const places = all.filter((_, number) => number % 60 === worker).map((id) => place.get(id) ?? Number.NaN);
      expect(places).toEqual(places.toSorted((one, other) => one - other));
    }
  });

  test("keeps more than a thousand that were pending", async () => {
    await recordMany(half.store, { organisationId, count: 1_200, workers: 1_200 });
    await disable();
    start();
    await quiet();
    expect(await countOf("held")).toBe(1_200);
    expect(receiver.requests).toEqual([]);
    // Whatever their schedules had planned.
    await half.store.execute("update deliveries set attempts = 3, due_at = now() + interval '1 hour'");
    receiver.answer = answerWith(200);
    await enable();
    await eventually("all are delivered", async () => (await countOf("acknowledged")) === 1_200);
    expect(new Set(half.attempts.map(({ number }) => number))).toEqual(new Set([1]));
    expect(new Set(told()).size).toBe(receiver.requests.length);
  });

  test("begins the retry schedule anew, whatever the old one had planned", async () => {
    receiver.answer = answerWith(503, { "retry-after": "60" });
    const [id = ""] = await record(1);
    start();
    await eventually("it is planned for later", () => receiver.requests.length === 1);
    receiver.answer = answerWith(410);
    // One behind it, and another worker's, which finds out.
    await record(2);
    await eventually("it is held", async () => (await countOf("pending")) === 0);
    receiver.answer = answerWith(200);
    await enable();
    await eventually("it is told at once", () => told().lastIndexOf(id) > 0);
    await eventually("all are told", async () => (await countOf("acknowledged")) === 3);
    const numbers = half.attempts.filter(({ deliveryId }) => deliveryId === id).map(({ number }) => number);
    expect(numbers).toEqual([1, 1]);
  });

  test("does not give up what fails, under way, while it is enabled", async () => {
    let finish = (): void => undefined;
    receiver.answer = (request, reply) => {
      const fail = () => answerWith(500)(request, reply);
      if (receiver.requests.length === 1) fail();
      else if (receiver.requests.length === 2) finish = fail;
      else answerWith(200)(request, reply);
    };
    const [id = ""] = await record(1);
    half.startDelivery({ retrySchedule: { delaysMs: [10], jitter: 0, maxRetryAfterMs: 0 } });
    await eventually("the last attempt is under way", () => receiver.requests.length === 2);
    await disable();
    await enable();
    finish();
    await eventually("it is told", () => half.attempts.length === 3);
    expect(half.attempts.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, "retry"],
      [2, "retry"],
      [1, "acknowledged"],
    ]);
    expect(told()).toEqual([id, id, id]);
  });

  test("is not told again what it acknowledged while it was disabled", async () => {
    let finish = (): void => undefined;
    receiver.answer = (request, reply) => {
      finish = () => answerWith(200)(request, reply);
    };
    const [id = ""] = await record(1);
    start();
    await eventually("an attempt is under way", () => receiver.requests.length === 1);
    await disable();
    await eventually("it is held", async () => (await countOf("held")) === 1);
    finish();
    await eventually("it is acknowledged", async () => (await countOf("acknowledged")) === 1);
    await enable();
    receiver.answer = answerWith(200);
    const [next = ""] = await record(1);
    await eventually("the next is told", async () => (await countOf("acknowledged")) === 2);
    expect(told()).toEqual([id, next]);
  });
});
