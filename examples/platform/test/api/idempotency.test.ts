import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type CallOptions,
  openPlatform,
  type PlatformResponse,
  type PlatformUnderTest,
} from "../support/platform-under-test.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

const dayMs = 24 * 60 * 60 * 1_000;
const input = { createdByUserId: "user_hana", title: "Bar on Sunday", workerIds: ["worker_amal"] };

describe.each(await anyStore())("Idempotency-Key on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let now = new Date();
  let keyCount = 0;
  const newKey = () => `key ${++keyCount}`;
  const open = () => openPlatform(database, {}, () => now);
  beforeAll(async () => {
    database = await createDatabase();
    platform = await open();
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });

  const post = (path: string, key: string, options: CallOptions): Promise<PlatformResponse> =>
    platform.call("POST", path, {
      key: "demo-key-harbour",
      ...options,
      headers: { "Idempotency-Key": key, ...options.headers },
    });
  const create = (key: string, changes: object = {}) => post("/offer", key, { json: { ...input, ...changes } });
  const complete = (id: string, key: string) =>
    post(`/offer/${id}/complete?api-version=1.0`, key, { json: ["worker_amal"] });
  const extractId = (response: PlatformResponse): string => response.json<{ id: string }>().id;
  const read = async (id: string) => (await platform.call("GET", `/offer/${id}`, { key: "demo-key-harbour" })).json();
  const apply = async (offerId: string) => {
    const token = await platform.signInWorker("worker_amal");
    await platform.call("POST", `/worker-app/offers/${offerId}/apply`, { token });
  };
  const listOffersWithTitle = async (title: string) => {
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const { offers } = (await platform.call("GET", "/portal/offers", { token })).json<{
      offers: { title: string }[];
    }>();
    return offers.filter((offer) => offer.title === title);
  };
  const readReplayedHeader = ({ headers }: PlatformResponse) => headers.get("idempotency-replayed");
  const keyReused = { status: 422, code: "idempotency_key_reused" };

  test("a retried creation gets the first response and creates nothing [D-40]", async () => {
    const key = newKey();
    const first = await create(key, { title: "Once" });
    const again = await create(key, { title: "Once" });
    expect([first.status, readReplayedHeader(first)]).toEqual([201, null]);
    expect([again.status, readReplayedHeader(again)]).toEqual([201, "true"]);
    expect(again.text).toBe(first.text);
    for (const name of ["location", "content-type"]) expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(await listOffersWithTitle("Once")).toHaveLength(1);
  });

  test("a retried completion gets the first response instead of offer_completed [D-40]", async () => {
    const id = extractId(await create(newKey()));
    await apply(id);
    const key = newKey();
    expect(await complete(id, key)).toMatchObject({ status: 204 });
    const again = await complete(id, key);
    expect([again.status, again.text, readReplayedHeader(again)]).toEqual([204, "", "true"]);
    expect((await complete(id, newKey())).json()).toMatchObject({ status: 409, code: "offer_completed" });
  });

  test("each creation without a key or with a new key creates an offer", async () => {
    await Promise.all([create(newKey(), { title: "Each" }), create(newKey(), { title: "Each" })]);
    await platform.call("POST", "/offer", { key: "demo-key-harbour", json: { ...input, title: "Each" } });
    expect(await listOffersWithTitle("Each")).toHaveLength(3);
  });

  test("a key cannot be reused with a different body, offer or operation [D-40]", async () => {
    const key = newKey();
    const id = extractId(await create(key));
    await apply(id);
    expect((await create(key, { title: "Another" })).json()).toMatchObject(keyReused);
    // The same JSON value, encoded in different bytes.
    const body = JSON.stringify(input, undefined, 1);
    const headers = { "Content-Type": "application/json" };
    expect((await post("/offer", key, { body, headers })).json()).toMatchObject(keyReused);
    expect((await complete(id, key)).json()).toMatchObject(keyReused);
    expect(await read(id)).toMatchObject({ complete: false });
    expect(await listOffersWithTitle("Another")).toEqual([]);

    const otherId = extractId(await create(newKey()));
    await apply(otherId);
    const completionKey = newKey();
    expect((await complete(id, completionKey)).status).toBe(204);
    expect((await complete(otherId, completionKey)).json()).toMatchObject(keyReused);
    expect(await read(otherId)).toMatchObject({ complete: false });
  });

  test("a rejected request does not use up its key", async () => {
    const key = newKey();
    expect((await create(key, { title: "" })).status).toBe(400);
    const created = await create(key);
    expect([created.status, readReplayedHeader(created)]).toEqual([201, null]);

    const completionKey = newKey();
    expect((await complete(extractId(created), completionKey)).json()).toMatchObject({ code: "worker_not_applied" });
    await apply(extractId(created));
    const completed = await complete(extractId(created), completionKey);
    expect([completed.status, readReplayedHeader(completed)]).toEqual([204, null]);
  });

  test("two organisations can use the same key", async () => {
    const key = newKey();
    const first = await create(key);
    const json = { ...input, createdByUserId: "user_bo" };
    const foreign = await post("/offer", key, { key: "demo-key-bistro", json });
    expect([foreign.status, readReplayedHeader(foreign)]).toEqual([201, null]);
    expect(extractId(foreign)).not.toBe(extractId(first));
  });

  test("a hundred concurrent creations with one key create one offer, and all get its id", async () => {
    const key = newKey();
    const responses = await Promise.all(Array.from({ length: 100 }, () => create(key, { title: "Rush" })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(extractId)).size).toBe(1);
    expect(responses.filter((response) => readReplayedHeader(response) === null)).toHaveLength(1);
    expect(await listOffersWithTitle("Rush")).toHaveLength(1);
  });

  test("one of two different simultaneous creations with the same key is rejected", async () => {
    const key = newKey();
    const responses = await Promise.all([create(key, { title: "Left" }), create(key, { title: "Right" })]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect([...(await listOffersWithTitle("Left")), ...(await listOffersWithTitle("Right"))]).toHaveLength(1);
  });

  test.each([
    ["empty", ""],
    ["too long", "k".repeat(256)],
    ["not ASCII", "schlüssel"],
    ["broken by a tab", "a\tb"],
  ])("a key that is %s gets 400", async (_, key) => {
    for (const response of [await create(key), await complete("unknown", key)])
      expect(response.json()).toMatchObject({
        status: 400,
        code: "invalid_request",
        errors: { "Idempotency-Key": [expect.any(String)] },
      });
  });

  test("two Idempotency-Key headers get 400, even with equal values", async () => {
    const body = JSON.stringify(input);
    const outgoing = request(`${platform.address}/offer`, {
      method: "POST",
      headers: [
        "X-UE-Api-Subscription-Key",
        "demo-key-harbour",
        "Content-Type",
        "application/json",
        "Host",
        "localhost",
        "Content-Length",
        String(body.length),
        "Idempotency-Key",
        "k",
        "Idempotency-Key",
        "k",
      ],
    });
    outgoing.end(body);
    const [response] = await once(outgoing, "response");
    response.resume();
    expect(response.statusCode).toBe(400);
  });

  test("a key can have 255 characters, and is ignored on a read", async () => {
    const id = extractId(await create("k".repeat(255)));
    const options = { key: "demo-key-harbour", headers: { "Idempotency-Key": "" } };
    expect((await platform.call("GET", `/offer/${id}`, options)).status).toBe(200);
  });

  test("a response is replayed for 24 hours, across restarts and even if the request would now be rejected", async () => {
    const restartAt = async (timeMs: number) => {
      await platform.close();
      now = new Date(timeMs);
      platform = await open();
    };
    const key = newKey();
    const createdAt = now.getTime();
    const start = new Date(createdAt + 1_000).toISOString();
    const changes = { events: [{ start, end: new Date(createdAt + 2_000).toISOString() }] };
    const first = await create(key, changes);
    await restartAt(createdAt + dayMs - 1);
    const again = await create(key, changes);
    expect([again.text, readReplayedHeader(again)]).toEqual([first.text, "true"]);

    // The key has expired, whether or not it has been removed.
    now = new Date(createdAt + dayMs);
    const late = await create(key, changes);
    expect(readReplayedHeader(late)).toBe(null);
    // The new request is rejected, because its event is in the past.
    expect(late.json()).toMatchObject({ status: 400, errors: { "events[0].start": [expect.any(String)] } });
  });
});
