import { afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { openReceiver, type Receiver, respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform } from "../support/use-opened.ts";

interface ListedDelivery {
  id: string;
  eventId: string;
  state: string;
  redeliveryOf: string | null;
  createdAt: string;
  data: { offerId?: string; workerId: string };
}
interface DeliveriesPage {
  deliveries: ListedDelivery[];
  next: number | null;
}

const longAgo = "2020-01-01T00:00:00Z";

describe.each(await anyStore())("redelivery on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  let receiver: Receiver;
  let token: string;
  let testStartedAt: string;

  beforeAll(async () => {
    token = await platform.signInPerson("hana@harbour-hotels.example");
  });
  beforeEach(async () => {
    receiver = await openReceiver();
    await saveProfile();
    testStartedAt = new Date().toISOString();
  });
  afterEach(async () => {
    receiver.respond = respondWith(200);
    receiver.hangUp();
    await eventually("no delivery is pending", async () => (await readPage("state=pending")).deliveries.length === 0);
    await receiver.close();
  });

  const call = (method: string, path: string, json?: unknown) =>
    platform.call(method, path, { token, ...(json !== undefined && { json }) });
  const saveProfile = async () => {
    const profile = { baseAddress: receiver.baseAddress, secret: "a secret of some length", suggestsContacts: false };
    expect((await call("PUT", "/portal/profile", profile)).status).toBe(200);
  };
  const readPage = async (query: string) => (await call("GET", `/portal/deliveries?${query}`)).json<DeliveriesPage>();
  /** Returns this test's deliveries, newest first. */
  const readDeliveries = async () => (await readPage(`since=${testStartedAt}`)).deliveries;
  const readStates = async () => (await readDeliveries()).map(({ state }) => state).join();
  const redeliver = (id: string | undefined) => call("POST", `/portal/deliveries/${id}/redeliver`);
  const redeliverAll = async (range: object) => {
    const response = await call("POST", "/portal/deliveries/redeliver", { since: testStartedAt, ...range });
    expect(response.status).toBe(202);
    return response.json();
  };
  const createOffer = async (workerIds = ["worker_amal"]) => {
    const offer = { createdByUserId: "user_hana", title: "Bar", workerIds };
    return (await platform.call("POST", "/offer", { key: "demo-key-harbour", json: offer })).json<{ id: string }>().id;
  };
  const act = async (offerId: string, action: "apply" | "reject", workerId = "worker_amal") =>
    platform.call("POST", `/worker-app/offers/${offerId}/${action}`, { token: await platform.signInWorker(workerId) });
  const listReceivedIds = () => receiver.requests.map(({ headers }) => headers["offers-delivery-id"]).filter(Boolean);

  test("a failed delivery is redelivered with its id, and an acknowledged delivery with a new id for the same event [D-74]", async () => {
    receiver.respond = respondWith(500);
    await act(await createOffer(), "apply");
    await eventually("the delivery has failed", async () => (await readStates()) === "dead");
    receiver.respond = respondWith(200);
    const [dead] = await readDeliveries();
    const first = await redeliver(dead?.id);
    expect([first.status, first.json()]).toEqual([202, { id: dead?.id }]);
    await eventually("the events are delivered", async () => (await readStates()) === "acknowledged");

    const second = await redeliver(dead?.id);
    const { id } = second.json<{ id: string }>();
    expect(id).not.toBe(dead?.id);
    await eventually("the event is delivered again", async () => (await readStates()) === "acknowledged,acknowledged");
    expect((await readDeliveries())[0]).toMatchObject({ id, eventId: dead?.eventId, redeliveryOf: dead?.id });
    expect(listReceivedIds().slice(-2)).toEqual([dead?.id, id]);
    expect((await redeliver(dead?.id)).json()).toMatchObject({ status: 409, code: "delivery_superseded" });
  });

  test("an earlier response is not redelivered after a later response [D-74]", async () => {
    const offerId = await createOffer();
    await act(offerId, "apply");
    await act(offerId, "reject");
    await eventually("both responses are delivered", async () => (await readStates()) === "acknowledged,acknowledged");
    const [, earlier] = await readDeliveries();
    expect((await redeliver(earlier?.id)).json()).toMatchObject({ status: 409, code: "delivery_superseded" });
    expect(await redeliverAll({ state: "all" })).toEqual({ redelivered: 1, superseded: 1 });
    await eventually(
      "the later response is delivered again",
      async () => (await readStates()) === "acknowledged,acknowledged,acknowledged",
    );
    expect((await readDeliveries())[0]?.data).toMatchObject({ response: "rejected" });
  });

  test("a pending, foreign or unknown delivery is not redelivered", async () => {
    receiver.respond = () => undefined;
    await act(await createOffer(), "apply");
    const [pending] = await readDeliveries();
    expect((await redeliver(pending?.id)).json()).toMatchObject({ status: 409, code: "delivery_pending" });
    const foreignToken = await platform.signInPerson("bo@bistro-group.example");
    for (const [id, credentials] of [
      [pending?.id, foreignToken],
      ["unknown", token],
    ] as const) {
      const response = await platform.call("POST", `/portal/deliveries/${id}/redeliver`, { token: credentials });
      expect(response.json()).toMatchObject({ status: 404, code: "delivery_not_found" });
    }
    const range = { since: longAgo, state: "all" };
    const foreign = await platform.call("POST", "/portal/deliveries/redeliver", { token: foreignToken, json: range });
    expect(foreign.json()).toEqual({ redelivered: 0, superseded: 0 });
  });

  test("all failed deliveries in a time range are redelivered in order, and only once [D-74]", async () => {
    receiver.respond = respondWith(404);
    const workers = ["worker_amal", "worker_ben", "worker_cleo"];
    const offerId = await createOffer(workers);
    for (const worker of workers) await act(offerId, "apply", worker);
    await eventually("the delivery has failed", async () => (await readStates()) === "dead,dead,dead");
    await act(offerId, "reject");
    await eventually("the delivery has failed", async () => (await readStates()) === "dead,dead,dead,dead");
    const ids = (await readDeliveries()).map(({ id }) => id);
    receiver.respond = () => undefined;
    receiver.requests.length = 0;
    expect(await redeliverAll({ until: testStartedAt })).toEqual({ redelivered: 0, superseded: 0 });
    expect(await redeliverAll({ state: "acknowledged" })).toEqual({ redelivered: 0, superseded: 0 });
    expect(await redeliverAll({})).toEqual({ redelivered: 4, superseded: 0 });
    expect(await redeliverAll({})).toEqual({ redelivered: 0, superseded: 0 });
    await eventually("each worker's first attempt is under way", () => listReceivedIds().length === 3);
    expect(listReceivedIds()).not.toContain(ids[0]);
  });

  test("deliveries are listed by state and time, page by page", async () => {
    const offers = [await createOffer(), await createOffer(), await createOffer()];
    for (const offerId of offers) await act(offerId, "apply");
    await eventually(
      "the events are delivered",
      async () => (await readStates()) === "acknowledged,acknowledged,acknowledged",
    );
    const all = await readDeliveries();
    const firstPage = await readPage(`since=${testStartedAt}&limit=2&state=acknowledged`);
    expect(firstPage.deliveries).toEqual(all.slice(0, 2));
    const secondPage = await readPage(`since=${testStartedAt}&limit=2&before=${firstPage.next}`);
    expect(secondPage).toEqual({ deliveries: all.slice(2), next: null });
    expect((await readPage(`since=${testStartedAt}&state=dead`)).deliveries).toEqual([]);
    expect((await readPage("since=2999-01-01T00:00:00Z")).deliveries).toEqual([]);
    for (const since of ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z"]) {
      expect((await call("GET", `/portal/deliveries?since=${since}`)).status).toBe(200);
      await redeliverAll({ since, until: since });
    }
    for (const query of [
      "state=lost",
      "since=yesterday",
      "limit=0",
      "limit=101",
      "before=x",
      "colour=red",
      "since=0000-01-01T00:00:00Z",
    ])
      expect((await call("GET", `/portal/deliveries?${query}`)).json()).toMatchObject({ code: "invalid_request" });
    const ranges = [
      {},
      { since: "yesterday" },
      { since: testStartedAt, state: "pending" },
      { since: "0000-06-01T00:00:00Z" },
      { since: "0001-01-01T00:00:00+23:59" },
      { since: testStartedAt, until: "9999-12-31T23:59:59-00:01" },
    ];
    for (const range of ranges)
      expect((await call("POST", "/portal/deliveries/redeliver", range)).json()).toMatchObject({
        code: "invalid_request",
      });
  });

  describe("while the endpoint is disabled", () => {
    interface DisabledHealth {
      health: { disabledBecause: string | null; held: number; pausedUntil: string | null };
    }
    const readHealth = async () => (await call("GET", "/portal/profile")).json<DisabledHealth>().health;

    beforeEach(async () => {
      await act(await createOffer(), "apply");
      await eventually("the events are delivered", async () => (await readStates()) === "acknowledged");
      receiver.respond = respondWith(410);
      await act(await createOffer(), "apply");
      await eventually("an event is held", async () => (await readStates()) === "held,acknowledged");
    });

    test("events redelivered to a disabled endpoint are held, and delivered when it is enabled", async () => {
      expect(await readHealth()).toMatchObject({ disabledBecause: "gone", disabledAt: expect.any(String), held: 1 });
      const [, acknowledged] = await readDeliveries();
      const { id } = (await redeliver(acknowledged?.id)).json<{ id: string }>();
      expect(await readStates()).toBe("held,held,acknowledged");
      receiver.requests.length = 0;
      const failed = await call("POST", "/portal/profile/enable");
      expect(failed.json()).toMatchObject({ status: 422, code: "endpoint_check_failed", checks: expect.any(Array) });
      expect(await readHealth()).toMatchObject({ disabledBecause: "gone", held: 2 });
      receiver.respond = respondWith(200);
      const enabled = await call("POST", "/portal/profile/enable");
      expect(enabled.status).toBe(200);
      expect(enabled.json<DisabledHealth>().health).toMatchObject({ disabledBecause: null, held: 0 });
      await eventually(
        "the events are delivered",
        async () => (await readStates()) === "acknowledged,acknowledged,acknowledged",
      );
      expect(listReceivedIds()).toContain(id);
    });

    test("saving the profile again enables a disabled endpoint", async () => {
      receiver.respond = respondWith(200);
      await saveProfile();
      expect(await readHealth()).toEqual({
        failingSince: null,
        pausedUntil: null,
        disabledAt: null,
        disabledBecause: null,
        held: 0,
      });
      await eventually("the events are delivered", async () => (await readStates()) === "acknowledged,acknowledged");
    });

    test("an organisation without a profile cannot enable an endpoint", async () => {
      const foreignToken = await platform.signInPerson("bo@bistro-group.example");
      const response = await platform.call("POST", "/portal/profile/enable", { token: foreignToken });
      expect(response.json()).toMatchObject({ status: 409, code: "profile_missing" });
      await saveProfile().catch(() => undefined);
      receiver.respond = respondWith(200);
      await saveProfile();
    });
  });
});
