import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { enableEndpoint } from "../../src/delivery/enable-endpoint.ts";
import { recordEvent } from "../../src/delivery/record-event.ts";
import type { Loop } from "../../src/outbox/run-loop.ts";
import { eventually } from "../support/eventually.ts";
import { addOrganisation, type LowerHalf, openLowerHalf } from "../support/lower-half.ts";
import { answerWith, openReceiver, type Receiver } from "../support/receiver.ts";
import { recordMany } from "../support/record-many.ts";
import { type StorePlace, storesUnderTest } from "../support/stores.ts";

describe.each(await storesUnderTest())("a disabled endpoint on $title", ({ createPlace }) => {
  let place: StorePlace;
  let half: LowerHalf;
  let receiver: Receiver;
  let organisationId: string;
  let delivery: Loop | undefined;

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
    await delivery?.stop();
    await receiver.close();
    for (const table of ["attempts", "deliveries", "mails"] as const) await half.store.db.deleteFrom(table).execute();
    await half.store.execute("truncate outbox_wakeups, outbox_leases, outbox_processes");
    expect(half.errors).toEqual([]);
  });

  const start = () => {
    delivery = half.startDelivery();
  };
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
  const countOf = async (state: "pending" | "held" | "acknowledged") => {
    const rows = await half.store.db
      .selectFrom("deliveries")
      .select("id")
      .where("organisation_id", "=", organisationId)
      .where("state", "=", state)
      .execute();
    return rows.length;
  };
  const endpoint = () =>
    half.store.db
      .selectFrom("endpoints")
      .select(["disabled_because", "disabled_at"])
      .where("organisation_id", "=", organisationId)
      .executeTakeFirstOrThrow();
  const enable = () => half.store.transaction((trx) => enableEndpoint(trx, organisationId));
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
    const attempted = receiver.requests.length;
    // Those that were under way.
    expect(attempted).toBeLessThanOrEqual(16);
    expect(half.attempts.every(({ outcome, nextAttemptAt }) => outcome === "held" && nextAttemptAt === undefined)).toBe(
      true,
    );
    await record(5);
    expect(await countOf("held")).toBe(45);
    const jobs = async () => (await half.store.execute("select from pgboss.job where name = 'deliveries'")).rows;
    await eventually("no job is left", async () => (await jobs()).length === 0);
    expect(receiver.requests).toHaveLength(attempted);
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
    const ids = await recordMany(half.store, { organisationId, count: 1_200, workers: 60, state: "held" });
    receiver.answer = answerWith(200);
    await enable();
    // The first of it at once, the rest in the sweep's batches.
    expect(await countOf("pending")).toBe(1_000);
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
    await recordMany(half.store, { organisationId, count: 1_200, workers: 1_200, state: "pending" });
    await disable();
    start();
    await eventually("all are held", async () => (await countOf("held")) === 1_200);
    expect(receiver.requests).toEqual([]);
    receiver.answer = answerWith(200);
    await enable();
    await eventually("all are delivered", async () => (await countOf("acknowledged")) === 1_200);
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
