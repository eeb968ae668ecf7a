import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { restartSchedules } from "../../src/delivery/enable-endpoint.ts";
import { type EventToRecord, recordEvent } from "../../src/delivery/record-event.ts";
import { redeliver, redeliverThese } from "../../src/delivery/redeliver.ts";
import { webhooks } from "../../src/delivery/webhook-queue.ts";
import { claimRows } from "../../src/outbox/claim-rows.ts";
import { Leases } from "../../src/outbox/leases.ts";
import type { Store, Trx } from "../../src/store/store.ts";
import { eventually } from "../support/eventually.ts";
import { addOrganisation, type LowerHalf, openLowerHalf, testSchedule } from "../support/lower-half.ts";
import { answerWith, hang, hangUp, openReceiver, type Receiver } from "../support/receiver.ts";
import { type StorePlace, storesUnderTest } from "../support/stores/stores.ts";

const response = (
  workerId: string,
  answer: "accepted" | "rejected" = "accepted",
  offerId = "offer-1",
): EventToRecord => ({
  type: "workerOfferResponse",
  data: { offerId, workerId, response: answer },
});

const onlyOnce = { delaysMs: [], jitter: 0, maxRetryAfterMs: 0 };

describe.each(await storesUnderTest())("deliveries on $title", ({ createPlace }) => {
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
    receiver = await openReceiver();
    organisationId = await addOrganisation(half.store, `${receiver.baseAddress}/someprefix/`);
  });
  afterEach(async () => {
    await half.reset();
    await receiver.close();
  });

  const record = async (event: EventToRecord, organisation = organisationId): Promise<string> => {
    const recorded = await half.store.transaction((trx) => recordEvent(trx, organisation, event));
    if (recorded.deliveryId === undefined) throw new Error("no delivery was made");
    return recorded.deliveryId;
  };
  const stateOf = async (id: string) => {
    const { state } = await half.store.db
      .selectFrom("deliveries")
      .select("state")
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    return state;
  };
  const becomes = (id: string, state: string) =>
    eventually(`${id} is ${state}`, async () => (await stateOf(id)) === state);
  const attemptsOf = (id: string) =>
    half.store.db.selectFrom("attempts").selectAll().where("delivery_id", "=", id).orderBy("id").execute();

  test("a worker's response arrives signed, below the base address, with its delivery id", async () => {
    half.startDelivery();
    const id = await record(response("worker-1", "rejected"));
    await becomes(id, "acknowledged");
    expect(receiver.requests).toHaveLength(1);
    const [request] = receiver.requests;
    expect(request).toMatchObject({
      method: "POST",
      url: "/someprefix/offer/response",
      headers: { "content-type": "application/json", "offers-delivery-id": id, authorization: "test s3cret" },
    });
    expect(JSON.parse(request?.body ?? "")).toEqual({ offerId: "offer-1", workerId: "worker-1", response: "rejected" });
    expect(await attemptsOf(id)).toMatchObject([{ path: "/offer/response", status: 200, error: null }]);
    expect(half.attempts).toMatchObject([
      { deliveryId: id, number: 1, outcome: "acknowledged", path: "/offer/response" },
    ]);
  });

  test("an added contact is told with the worker's id in the path, and without a body", async () => {
    half.startDelivery();
    const id = await record({ type: "workerAddedContact", data: { workerId: "a/b ü?" } });
    await becomes(id, "acknowledged");
    expect(receiver.requests).toMatchObject([
      { method: "GET", url: "/someprefix/contact/new/a%2Fb%20%C3%BC%3F", body: "" },
    ]);
    expect(half.attempts).toMatchObject([{ path: "/contact/new/{workerId}" }]);
  });

  test("an event of a transaction that failed is never told", async () => {
    half.startDelivery();
    const broken = half.store.transaction(async (trx) => {
      await recordEvent(trx, organisationId, response("worker-1"));
      throw new Error("no");
    });
    await expect(broken).rejects.toThrow("no");
    await becomes(await record(response("worker-2")), "acknowledged");
    expect(receiver.requests).toHaveLength(1);
    expect(receiver.requests[0]?.body).toContain("worker-2");
  });

  test("an event of an organisation without an endpoint is kept", async () => {
    const silent = await addOrganisation(half.store);
    const recorded = await half.store.transaction((trx) => recordEvent(trx, silent, response("worker-1")));
    expect(recorded).toEqual({ eventId: expect.any(String) });
    const events = await half.store.db
      .selectFrom("events")
      .select("data")
      .where("organisation_id", "=", silent)
      .execute();
    expect(events).toEqual([{ data: { offerId: "offer-1", workerId: "worker-1", response: "accepted" } }]);
  });

  test("is attempted until it is acknowledged, under one id", async () => {
    const answers = [answerWith(500), answerWith(204), answerWith(302, { location: "/elsewhere" }), hangUp, hang];
    receiver.answer = (...exchange) => (answers.shift() ?? answerWith(200))(...exchange);
    half.startDelivery({ attemptTimeoutMs: 3_000 });
    const id = await record(response("worker-1"));
    await becomes(id, "acknowledged");
    expect((await attemptsOf(id)).map(({ status, error }) => [status, error])).toEqual([
      [500, "not_acknowledged"],
      [204, "not_acknowledged"],
      [302, "not_acknowledged"],
      [null, "connection_lost"],
      [null, "timeout"],
      [200, null],
    ]);
    expect(new Set(receiver.requests.map(({ headers }) => headers["offers-delivery-id"]))).toEqual(new Set([id]));
    expect(receiver.requests.map(({ url }) => url)).not.toContain("/elsewhere");
    await eventually("the last attempt is reported", () => half.attempts.length === 6);
    expect(half.attempts.map(({ outcome }) => outcome)).toEqual([...Array(5).fill("retry"), "acknowledged"]);
  });

  test("is dead after the last attempt, and can be redelivered under its id", async () => {
    receiver.answer = answerWith(500);
    half.startDelivery({ retrySchedule: { delaysMs: [10, 10], jitter: 0, maxRetryAfterMs: 0 } });
    const id = await record(response("worker-1"));
    await becomes(id, "dead");
    expect(receiver.requests).toHaveLength(3);
    receiver.answer = answerWith(200);
    expect(await redeliver(half.store, "someone else", id)).toEqual({ outcome: "unknown" });
    expect(await redeliver(half.store, organisationId, id)).toEqual({ outcome: "redelivered", id });
    await becomes(id, "acknowledged");
    expect(receiver.requests.at(-1)?.headers["offers-delivery-id"]).toBe(id);
  });

  test("a dead letter is not redelivered behind a later response of that worker", async () => {
    receiver.answer = (request, reply) => answerWith(request.body.includes("accepted") ? 500 : 200)(request, reply);
    const delivery = half.startDelivery({ retrySchedule: onlyOnce });
    const accepted = await record(response("worker-1", "accepted"));
    await becomes(accepted, "dead");
    await delivery.stop();
    const rejected = await record(response("worker-1", "rejected"));
    expect(await redeliver(half.store, organisationId, accepted)).toEqual({ outcome: "superseded" });
    half.startDelivery({ retrySchedule: onlyOnce });
    await becomes(rejected, "acknowledged");
    expect(await redeliver(half.store, organisationId, accepted)).toEqual({ outcome: "superseded" });
    expect(await stateOf(accepted)).toBe("dead");
    expect(receiver.requests).toHaveLength(2);
  });

  test("two dead letters of a worker on one offer are redelivered in their order", async () => {
    receiver.answer = answerWith(500);
    const delivery = half.startDelivery({ retrySchedule: onlyOnce });
    const ids = [await record(response("worker-1", "accepted")), await record(response("worker-1", "rejected"))];
    for (const id of ids) await becomes(id, "dead");
    await delivery.stop();
    receiver.answer = answerWith(200);
    for (const id of ids)
      expect(await redeliver(half.store, organisationId, id)).toEqual({ outcome: "redelivered", id });
    half.startDelivery();
    for (const id of ids) await becomes(id, "acknowledged");
    expect(receiver.requests.slice(-2).map(({ headers }) => headers["offers-delivery-id"])).toEqual(ids);
  });

  test("an attempt that could not be stored is not reported, and is made again", async () => {
    const id = await record(response("worker-1"));
    let isFull = false;
    receiver.answer = (request, reply) => {
      isFull = true;
      answerWith(200)(request, reply);
    };
    const transaction: Store["transaction"] = (work) =>
      isFull ? Promise.reject(new Error("no more room")) : half.store.transaction(work);
    const delivery = half.startDelivery({ store: { ...half.store, transaction }, settleLimitMs: 0 });
    await eventually("it is attempted", () => receiver.requests.length === 1);
    await delivery.stop();
    receiver.answer = answerWith(200);
    expect(half.attempts).toEqual([]);
    expect(half.errors).toContainEqual(expect.objectContaining({ message: "no more room" }));
    half.startDelivery();
    await becomes(id, "acknowledged");
    expect(receiver.requests).toHaveLength(2);
    await eventually("the second is reported", () => half.attempts.length === 1);
  });

  test("waits as long as Retry-After asks", async () => {
    receiver.answer = answerWith(503, { "retry-after": "30" });
    const now = new Date("2031-05-01T10:00:00Z");
    half.startDelivery({ now: () => now });
    await record(response("worker-1"));
    await eventually("the attempt is reported", () => half.attempts.length === 1);
    expect(half.attempts[0]?.nextAttemptAt).toEqual(new Date("2031-05-01T10:00:30Z"));
  });

  test("responses of one worker to one offer arrive in order, whatever fails, and hold up nobody else", async () => {
    let failures = 3;
    receiver.answer = (request, reply) => {
      const fails = request.body.includes("worker-1") && failures-- > 0;
      answerWith(fails ? 500 : 200)(request, reply);
    };
    const given = ["accepted", "rejected", "accepted", "rejected"] as const;
    const ids: string[] = [];
    for (const answer of given) ids.push(await record(response("worker-1", answer)));
    const other = await record(response("worker-2"));
    half.startDelivery();
    for (const id of [...ids, other]) await becomes(id, "acknowledged");
    const order = receiver.requests.map(({ headers }) => headers["offers-delivery-id"]);
    const [first = ""] = ids;
    expect(order.filter((id) => id !== other)).toEqual([first, first, first, ...ids]);
    expect(order.indexOf(other)).toBeLessThan(order.lastIndexOf(first));
  });

  test("eight attempts at a time go to one endpoint, and others do not wait for it", async () => {
    const other = await openReceiver();
    const otherId = await addOrganisation(half.store, other.baseAddress);
    let open = 0;
    let most = 0;
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    receiver.answer = (request, reply) => {
      open += 1;
      most = Math.max(most, open);
      void released.then(() => {
        open -= 1;
        answerWith(200)(request, reply);
      });
    };
    const ids: string[] = [];
    for (let worker = 0; worker < 30; worker += 1) ids.push(await record(response(`worker-${worker}`)));
    half.startDelivery({ attemptTimeoutMs: 20_000 });
    await eventually("the endpoint is busy", () => open === 8);
    await becomes(await record(response("worker-1"), otherId), "acknowledged");
    release();
    for (const id of ids) await becomes(id, "acknowledged");
    expect(most).toBe(8);
    await other.close();
  });

  test("a delivery claimed by a process that died is taken over when the lease has ended", async () => {
    const id = await record(response("worker-1"));
    const dead = new Leases(half.store, 3_000, (error) => half.errors.push(error));
    const queue = webhooks(() => new Date());
    expect(await claimRows(half.store, dead, queue, 10)).toHaveLength(1);
    half.startDelivery();
    await becomes(id, "acknowledged");
    expect(receiver.requests).toHaveLength(1);
  });

  test("stopping finishes the attempt that is under way, and begins no other", async () => {
    let finish = (): void => undefined;
    receiver.answer = (request, reply) => {
      finish = () => answerWith(200)(request, reply);
    };
    const delivery = half.startDelivery({ attemptTimeoutMs: 20_000 });
    const id = await record(response("worker-1"));
    await eventually("the attempt is under way", () => receiver.requests.length === 1);
    const stopped = delivery.stop();
    const later = await record(response("worker-2"));
    finish();
    await stopped;
    expect(await stateOf(id)).toBe("acknowledged");
    expect(await stateOf(later)).toBe("pending");
    half.startDelivery();
    receiver.answer = answerWith(200);
    await becomes(later, "acknowledged");
  });

  test("a secret that does not open is a failed attempt that uses up none of the schedule, not a lost event", async () => {
    const retrySchedule = { ...testSchedule, delaysMs: [] };
    half.startDelivery({ encryptionKey: new Uint8Array(32), retrySchedule });
    const id = await record(response("worker-1"));
    await eventually("the attempt is reported", () => half.attempts.length === 1);
    expect(half.attempts[0]).toMatchObject({ failure: "internal_error", outcome: "retry" });
    expect(half.errors[0]).toMatchObject({ code: "invalid_encryption_key" });
    expect(receiver.requests).toEqual([]);
    const { state, attempts } = await half.store.db
      .selectFrom("deliveries")
      .select(["state", "attempts"])
      .where("id", "=", id)
      .executeTakeFirstOrThrow();
    expect({ state, attempts }).toEqual({ state: "pending", attempts: 0 });
  });
});

/** A promise, and what resolves it. */
function signal(): [Promise<void>, () => void] {
  let give = (): void => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return [given, give];
}

// PGlite's data folder is for one process: see store.test.ts.
const shared = (await storesUnderTest()).filter(({ title }) => title !== "PGlite");

describe.each(shared)("several processes on $title", ({ createPlace }) => {
  test("share the deliveries, and none is attempted twice", async () => {
    const place = await createPlace();
    const receiver = await openReceiver();
    const halves = await Promise.all([1, 2, 3].map(() => openLowerHalf(place)));
    const [first] = halves;
    if (first === undefined) throw new Error("nothing was opened");
    const organisationIds: string[] = [];
    for (let index = 0; index < 5; index += 1)
      organisationIds.push(await addOrganisation(first.store, receiver.baseAddress));
    await first.store.transaction(async (trx) => {
      for (const organisationId of organisationIds)
        for (let worker = 0; worker < 60; worker += 1)
          await recordEvent(trx, organisationId, response(`worker-${worker % 30}`));
    });
    for (const half of halves) half.startDelivery();
    const pending = () => first.store.db.selectFrom("deliveries").select("id").where("state", "=", "pending").execute();
    await eventually("all are delivered", async () => (await pending()).length === 0);
    const ids = receiver.requests.map(({ headers }) => headers["offers-delivery-id"]);
    expect(ids).toHaveLength(300);
    expect(new Set(ids).size).toBe(300);
    await Promise.all(halves.map((half) => half.close()));
    expect(halves.flatMap(({ errors }) => errors)).toEqual([]);
    expect(halves.flatMap(({ attempts }) => attempts)).toHaveLength(300);
    await receiver.close();
    await place.remove();
  });

  describe("that meet at one worker's responses", () => {
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
      receiver = await openReceiver();
      organisationId = await addOrganisation(half.store, receiver.baseAddress);
    });
    afterEach(async () => {
      await half.reset();
      await receiver.close();
    });

    const recordIn = async (trx: Trx, answer: "accepted" | "rejected"): Promise<string> => {
      const { deliveryId = "" } = await recordEvent(trx, organisationId, response("worker-1", answer));
      return deliveryId;
    };
    const record = (answer: "accepted" | "rejected") => half.store.transaction((trx) => recordIn(trx, answer));
    const settleIn = (trx: Trx, id: string, state: "acknowledged" | "dead") =>
      trx.updateTable("deliveries").set({ state, due_at: null }).where("id", "=", id).execute();
    /** A transaction that has done its work. @returns commits it */
    const uncommitted = async (work: (trx: Trx) => Promise<unknown>): Promise<() => Promise<void>> => {
      const [isDone, done] = signal();
      const [mayCommit, commit] = signal();
      const ended = half.store.transaction(async (trx) => {
        await work(trx);
        done();
        await mayCommit;
      });
      await isDone;
      return () => {
        commit();
        return ended;
      };
    };
    const somebodyWaits = () =>
      eventually("somebody waits for a lock", async () => {
        const { rows } = await half.store.execute(
          `select from pg_stat_activity
          where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });

    test("keep the order when the oldest is settled while a later one is recorded", async () => {
      const first = await record("accepted");
      const commit = await uncommitted((trx) => recordIn(trx, "rejected"));
      half.startDelivery();
      await somebodyWaits();
      await commit();
      const pending = half.store.db.selectFrom("deliveries").select("id").where("state", "=", "pending");
      await eventually("all are delivered", async () => (await pending.execute()).length === 0);
      const told = receiver.requests.map(({ headers }) => headers["offers-delivery-id"]);
      expect([told[0], told.length]).toEqual([first, 2]);
    });

    test("refuse to redeliver a dead letter behind a response that is just being recorded", async () => {
      const dead = await record("accepted");
      await half.store.transaction((trx) => settleIn(trx, dead, "dead"));
      const commit = await uncommitted((trx) => recordIn(trx, "rejected"));
      const redelivery = redeliver(half.store, organisationId, dead);
      await somebodyWaits();
      await commit();
      expect(await redelivery).toEqual({ outcome: "superseded" });
    });

    test("deliver what is redelivered while the one before it is just being settled", async () => {
      const [first, second] = [await record("accepted"), await record("rejected")];
      await half.store.transaction(async (trx) => {
        await settleIn(trx, first, "dead");
        await settleIn(trx, second, "dead");
      });
      await redeliver(half.store, organisationId, first);
      const commit = await uncommitted((trx) => redeliverThese(trx, organisationId, [second]));
      half.startDelivery();
      await somebodyWaits();
      await commit();
      const pending = half.store.db.selectFrom("deliveries").select("id").where("state", "=", "pending");
      await eventually("all are delivered", async () => (await pending.execute()).length === 0);
      expect(receiver.requests.map(({ headers }) => headers["offers-delivery-id"])).toEqual([first, second]);
    });

    test("begin the whole schedule anew of a delivery that a later response is just being recorded behind", async () => {
      receiver.answer = answerWith(503, { "retry-after": "60" });
      const delivery = half.startDelivery();
      const first = await record("accepted");
      await eventually("it is put off", () => half.attempts.length === 1);
      await delivery.stop();
      const commit = await uncommitted((trx) => recordIn(trx, "rejected"));
      const restarted = restartSchedules(half.store, organisationId);
      await somebodyWaits();
      await commit();
      await restarted;
      const row = half.store.db.selectFrom("deliveries").select(["attempts", "due_at"]).where("id", "=", first);
      const { attempts, due_at: dueAt } = await row.executeTakeFirstOrThrow();
      expect(attempts).toBe(0);
      expect(dueAt?.getTime()).toBeLessThanOrEqual(Date.now());
    });
  });
});
