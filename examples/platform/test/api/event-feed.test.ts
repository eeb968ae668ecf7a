import { randomUUID } from "node:crypto";
import { describe, expect, test } from "vitest";
import { pickNumRuns } from "../../../../scripts/property-seed.ts";
import { type FeedPage, readFeed } from "../../src/webhooks/event-feed.ts";
import { recordEvent } from "../../src/webhooks/record-event.ts";
import { eventually } from "../support/eventually.ts";
import { respondWith } from "../support/receiver.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePlatform, useReceiver, useStore } from "../support/use-opened.ts";

const key = "demo-key-harbour";

describe.each(await anyStore())("the event feed on $title", ({ createDatabase, title }) => {
  const platform = usePlatform({ createDatabase });
  const receiver = useReceiver();
  const store = useStore({ createDatabase });

  const readPage = async (query: string, apiKey = key): Promise<FeedPage> => {
    const response = await platform.call("GET", `/events${query}`, { key: apiKey });
    expect(response.status).toBe(200);
    return response.json();
  };
  const readLastCursor = async (): Promise<string> => {
    let cursor = "";
    for (;;) {
      const page = await readPage(cursor && `?after=${cursor}`);
      cursor = page.cursor;
      if (!page.more) return cursor;
    }
  };

  const createOffer = async (workerIds: readonly string[]): Promise<string> => {
    const json = { createdByUserId: "user_hana", title: "Bar", workerIds };
    return (await platform.call("POST", "/offer?api-version=1.0", { key, json })).json<{ id: string }>().id;
  };
  const respond = async (offerId: string, workerId: string, action: "apply" | "reject") => {
    const token = await platform.signInWorker(workerId);
    await platform.call("POST", `/worker-app/offers/${offerId}/${action}`, { token });
  };
  const registerEndpoint = async () => {
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const json = { baseAddress: receiver.baseAddress, secret: randomUUID(), suggestsContacts: false };
    await platform.call("PUT", "/portal/profile", { token, json });
  };

  test("the feed contains every event once, in order, with the id of its webhook [D-133]", async () => {
    await registerEndpoint();
    const start = await readLastCursor();
    receiver.requests.length = 0;
    const offerId = await createOffer(["worker_amal", "worker_ben"]);
    await respond(offerId, "worker_amal", "apply");
    await respond(offerId, "worker_ben", "apply");
    await respond(offerId, "worker_amal", "reject");
    const token = await platform.signInWorker("worker_amal");
    await platform.call("POST", "/worker-app/contacts", { token, json: { organisationId: "org_harbour" } });

    const { events, more } = await readPage(`?after=${start}&api-version=1.0`);
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ["WorkerOfferResponse", { offerId, workerId: "worker_amal", response: "accepted" }],
      ["WorkerOfferResponse", { offerId, workerId: "worker_ben", response: "accepted" }],
      ["WorkerOfferResponse", { offerId, workerId: "worker_amal", response: "rejected" }],
      ["WorkerAddedContact", { workerId: "worker_amal" }],
    ]);
    expect(more).toBe(false);
    for (const { createdAt } of events) expect(createdAt).toMatch(/^\d{4}-\d\d-\d\dT.*Z$/);
    await eventually("all events are delivered", () => receiver.requests.length === 4);
    const deliveredIds = receiver.requests.map(({ headers }) => headers["offers-delivery-id"]);
    expect(deliveredIds.sort()).toEqual(events.map(({ id }) => id).sort());
  });

  test("the feed is read page by page, and polling the last cursor returns later events", async () => {
    const start = await readLastCursor();
    const offerId = await createOffer(["worker_amal", "worker_ben", "worker_cleo"]);
    for (const workerId of ["worker_amal", "worker_ben", "worker_cleo"]) await respond(offerId, workerId, "apply");
    const firstPage = await readPage(`?after=${start}&limit=2`);
    expect([firstPage.events.length, firstPage.more]).toEqual([2, true]);
    const { events, cursor, more } = await readPage(`?after=${firstPage.cursor}&limit=2`);
    expect([events.length, more]).toEqual([1, false]);
    expect(await readPage(`?after=${cursor}`)).toEqual({ events: [], cursor, more: false });
    await respond(offerId, "worker_amal", "reject");
    expect((await readPage(`?after=${cursor}`)).events.map(({ data }) => data.response)).toEqual(["rejected"]);
  });

  test("the feed contains only the organisation's own events, and an agency reads a client's events with its key for that client", async () => {
    const foreignPage = await readPage("", "demo-key-bistro");
    expect(foreignPage.events).toEqual([]);
    expect(await readPage("?limit=1000", "demo-key-crew-for-harbour")).toEqual(await readPage("?limit=1000"));
    expect((await platform.call("GET", "/events")).status).toBe(401);
    expect((await platform.call("GET", "/events", { key: "wrong" })).status).toBe(401);
  });

  test.each([
    { cursor: "a string that is not a cursor", after: () => "x" },
    { cursor: "an empty string", after: () => "" },
    {
      cursor: "a cursor from another organisation's feed",
      after: async () => (await readPage("", "demo-key-bistro")).cursor,
    },
    {
      cursor: "a cursor with a position that no event has",
      after: () => Buffer.from('["events",9007199254740991,"org_harbour"]').toString("base64url"),
    },
    {
      cursor: "a cursor from a different list",
      after: () => Buffer.from('["offers",1,"org_harbour"]').toString("base64url"),
    },
    { cursor: "two cursors", after: async () => `${await readLastCursor()}&after=${await readLastCursor()}` },
  ])("the feed rejects an invalid cursor and names the parameter: $cursor [D-133]", async ({ after }) => {
    const response = await platform.call("GET", `/events?after=${await after()}`, { key });
    expect(response.status).toBe(400);
    expect(response.json()).toMatchObject({
      code: "invalid_request",
      errors: { after: [expect.stringContaining("`cursor`")] },
    });
  });

  test.each(["0", "1001", "1000000000", "x", "-1", "1.5", "", "1&limit=2"])(
    "the feed rejects the limit %j and names the parameter",
    async (limit) => {
      const response = await platform.call("GET", `/events?limit=${limit}`, { key });
      expect(response.status).toBe(400);
      expect(response.json()).toMatchObject({
        code: "invalid_request",
        errors: { limit: [expect.stringContaining("1 to 1000")] },
      });
    },
  );

  test("the feed rejects an unknown parameter, an unknown version and a POST", async () => {
    expect((await platform.call("GET", "/events?before=1", { key })).json()).toMatchObject({ code: "invalid_request" });
    expect((await platform.call("GET", "/events?api-version=9", { key })).json()).toMatchObject({
      code: "unsupported_api_version",
    });
    expect((await platform.call("POST", "/events", { key, json: {} })).status).toBe(405);
  });

  test("an API key can redeliver one failed event, or all failed events in a time range [D-134]", async () => {
    await registerEndpoint();
    receiver.respond = respondWith(500);
    const start = await readLastCursor();
    const since = new Date().toISOString();
    const offerId = await createOffer(["worker_amal", "worker_ben"]);
    await respond(offerId, "worker_amal", "apply");
    await respond(offerId, "worker_ben", "apply");
    const [first] = (await readPage(`?after=${start}`)).events;
    const redeliver = (id: string, apiKey = key) =>
      platform.call("POST", `/events/${id}/redeliver?api-version=1.0`, { key: apiKey });
    await eventually(
      "both deliveries have failed",
      () => receiver.requests.filter(({ body }) => body.includes(offerId)).length === 6,
    );
    await eventually(
      "the first event can be redelivered",
      async () => (await redeliver(String(first?.id))).status === 202,
    );
    receiver.respond = respondWith(200);
    expect((await redeliver("unknown")).json()).toMatchObject({ status: 404, code: "delivery_not_found" });
    expect((await redeliver(String(first?.id), "demo-key-bistro")).status).toBe(404);
    await eventually("the other event can be redelivered", async () => {
      const response = await platform.call("POST", "/events/redeliver", { key, json: { since } });
      expect(response.status).toBe(202);
      return response.json<{ redelivered: number }>().redelivered > 0;
    });
    const invalid = await platform.call("POST", "/events/redeliver", { key, json: { since: "yesterday" } });
    expect(invalid.json()).toMatchObject({ status: 400, errors: { since: expect.any(Array) } });
    expect((await platform.call("POST", "/events/redeliver", { json: { since } })).status).toBe(401);
  });

  test("an API key can redeliver acknowledged events under a new id, but not pending, superseded or foreign events [D-134]", async () => {
    await registerEndpoint();
    const start = await readLastCursor();
    const since = new Date().toISOString();
    const offerId = await createOffer(["worker_amal", "worker_ben"]);
    const redeliver = (id: string | undefined) => platform.call("POST", `/events/${id}/redeliver`, { key });
    const redeliverRange = async (apiKey: string, range: object) =>
      (await platform.call("POST", "/events/redeliver", { key: apiKey, json: { since, ...range } })).json();
    const listReceivedDeliveryIds = () =>
      receiver.requests
        .filter(({ body }) => body.includes(offerId))
        .map(({ headers }) => headers["offers-delivery-id"]);

    receiver.respond = () => undefined;
    await respond(offerId, "worker_ben", "apply");
    const [pending] = (await readPage(`?after=${start}`)).events;
    await eventually("the event is attempted", () => listReceivedDeliveryIds().includes(pending?.id));
    expect((await redeliver(pending?.id)).json()).toMatchObject({ status: 409, code: "delivery_pending" });
    receiver.respond = respondWith(200);
    receiver.hangUp();

    await respond(offerId, "worker_amal", "apply");
    await respond(offerId, "worker_amal", "reject");
    const [ben, applied, rejected] = (await readPage(`?after=${start}`)).events.map(({ id }) => id);
    await eventually("all events are acknowledged", async () => {
      const { status } = await redeliver(rejected);
      return status === 202 && [ben, applied, rejected].every((id) => listReceivedDeliveryIds().includes(id));
    });
    expect((await redeliver(applied)).json()).toMatchObject({ status: 409, code: "delivery_superseded" });
    expect((await redeliver(rejected)).json()).toMatchObject({ status: 409, code: "delivery_superseded" });
    await eventually("the event is redelivered under a new id", () =>
      listReceivedDeliveryIds().some((id) => ![ben, applied, rejected].includes(String(id))),
    );
    expect((await readPage(`?after=${start}`)).events.map(({ id }) => id)).toEqual([ben, applied, rejected]);
    const nothing = { redelivered: 0, superseded: 0 };
    expect(await redeliverRange("demo-key-bistro", { state: "all" })).toEqual(nothing);
    expect(await redeliverRange(key, { until: since, state: "all" })).toEqual(nothing);
  });

  const addOrganisation = async (): Promise<string> => {
    const id = `org_${randomUUID()}`;
    await store.db.insertInto("organisations").values({ id, name: id, kind: "hirer" }).execute();
    return id;
  };
  const recordContact = (organisationId: string, workerId: string, beforeCommit = async () => {}) =>
    store.transaction(async (trx) => {
      await recordEvent(trx, organisationId, { type: "workerAddedContact", data: { workerId } });
      await beforeCommit();
    });
  const extractWorkerIds = ({ events }: FeedPage) => events.map(({ data }) => data.workerId);

  test("the feed returns an event that is committed late, and an open transaction does not delay other events [D-133]", async ({
    skip,
  }) => {
    skip(title === "PGlite", "PGlite runs one transaction at a time, so none commits out of order");
    const organisationId = await addOrganisation();
    let commit = () => {};
    const mayCommit = new Promise<void>((resolve) => {
      commit = resolve;
    });
    let markRecorded = () => {};
    const recorded = new Promise<void>((resolve) => {
      markRecorded = resolve;
    });
    const lateTransaction = recordContact(organisationId, "late", () => {
      markRecorded();
      return mayCommit;
    });
    await recorded;
    await recordContact(organisationId, "early");
    const firstPage = await readFeed(store, organisationId, { after: undefined, limit: 10 });
    expect(extractWorkerIds(firstPage)).toEqual(["early"]);
    commit();
    await lateTransaction;
    expect(extractWorkerIds(await readFeed(store, organisationId, { after: firstPage.cursor, limit: 10 }))).toEqual([
      "late",
    ]);
    expect(extractWorkerIds(await readFeed(store, organisationId, { after: undefined, limit: 10 }))).toEqual([
      "early",
      "late",
    ]);
  });

  const writerCount = 8;
  const eventsPerWriter = pickNumRuns(150, 12_500);
  test("the feed skips and repeats nothing while eight writers and two readers run without a pause [D-133]", {
    timeout: 600_000,
  }, async () => {
    const organisationId = await addOrganisation();
    let areWritersRunning = true;
    const recordEvents = async (writer: number) => {
      for (let index = 0; index < eventsPerWriter; ) {
        // Record several events per transaction, in transactions of different sizes.
        const batchSize = Math.min(1 + ((index + writer) % 25), eventsPerWriter - index);
        await store.transaction(async (trx) => {
          for (let offset = 0; offset < batchSize; offset += 1)
            await recordEvent(trx, organisationId, {
              type: "workerAddedContact",
              data: { workerId: `${writer}:${index + offset}` },
            });
        });
        index += batchSize;
      }
    };
    const readAllWorkerIds = async (limit: number): Promise<string[]> => {
      const workerIds: string[] = [];
      let after: string | undefined;
      for (;;) {
        const wereWritersRunning = areWritersRunning;
        const page: FeedPage = await readFeed(store, organisationId, { after, limit });
        workerIds.push(...extractWorkerIds(page).map(String));
        after = page.cursor;
        if (!wereWritersRunning && !page.more) return workerIds;
      }
    };
    const reads = Promise.all([readAllWorkerIds(100), readAllWorkerIds(7)]);
    await Promise.all(Array.from({ length: writerCount }, (_, writer) => recordEvents(writer)));
    areWritersRunning = false;
    const expected = Array.from(
      { length: writerCount * eventsPerWriter },
      (_, index) => `${index % writerCount}:${Math.floor(index / writerCount)}`,
    );
    for (const workerIds of await reads) {
      expect(workerIds.length).toBe(expected.length);
      expect(new Set(workerIds)).toEqual(new Set(expected));
      // Each writer's events must be in the order in which they were recorded.
      for (let writer = 0; writer < writerCount; writer += 1) {
        const indexes = workerIds.filter((id) => id.startsWith(`${writer}:`)).map((id) => Number(id.split(":")[1]));
        expect(indexes.every((number, index) => number === index)).toBe(true);
      }
    }
  });
});
