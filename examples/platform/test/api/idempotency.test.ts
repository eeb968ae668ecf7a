import { once } from "node:events";
import { request } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  type CallOptions,
  openPlatform,
  type PlatformResponse,
  type PlatformUnderTest,
} from "../support/platform-under-test.ts";
import { storesUnderTest, type TestDatabase } from "../support/stores/stores.ts";

const dayMs = 24 * 60 * 60 * 1_000;
const input = { createdByUserId: "user_hana", title: "Bar on Sunday", workerIds: ["worker_amal"] };

describe.each(await storesUnderTest())("Idempotency-Key on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  let now = new Date();
  let count = 0;
  const newKey = () => `key ${++count}`;
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
  const idOf = (response: PlatformResponse): string => response.json<{ id: string }>().id;
  const read = async (id: string) => (await platform.call("GET", `/offer/${id}`, { key: "demo-key-harbour" })).json();
  const apply = async (id: string) => {
    const token = await platform.signInWorker("worker_amal");
    await platform.call("POST", `/worker-app/offers/${id}/apply`, { token });
  };
  const offersTitled = async (title: string) => {
    const token = await platform.signInPerson("hana@harbour-hotels.example");
    const { offers } = (await platform.call("GET", "/portal/offers", { token })).json<{
      offers: { title: string }[];
    }>();
    return offers.filter((offer) => offer.title === title);
  };
  const replayed = ({ headers }: PlatformResponse) => headers.get("idempotency-replayed");
  const reused = { status: 422, code: "idempotency_key_reused" };

  test("returns the first response to a retried creation, and creates nothing [D-40]", async () => {
    const key = newKey();
    const first = await create(key, { title: "Once" });
    const again = await create(key, { title: "Once" });
    expect([first.status, replayed(first)]).toEqual([201, null]);
    expect([again.status, replayed(again)]).toEqual([201, "true"]);
    expect(again.text).toBe(first.text);
    for (const name of ["location", "content-type"]) expect(again.headers.get(name)).toBe(first.headers.get(name));
    expect(await offersTitled("Once")).toHaveLength(1);
  });

  test("returns the first response to a retried completion, not that of a second completion [D-40]", async () => {
    const id = idOf(await create(newKey()));
    await apply(id);
    const key = newKey();
    expect(await complete(id, key)).toMatchObject({ status: 204 });
    const again = await complete(id, key);
    expect([again.status, again.text, replayed(again)]).toEqual([204, "", "true"]);
    expect((await complete(id, newKey())).json()).toMatchObject({ status: 409, code: "offer_completed" });
  });

  test("creates an offer each time without a key, or with another one", async () => {
    await Promise.all([create(newKey(), { title: "Each" }), create(newKey(), { title: "Each" })]);
    await platform.call("POST", "/offer", { key: "demo-key-harbour", json: { ...input, title: "Each" } });
    expect(await offersTitled("Each")).toHaveLength(3);
  });

  test("rejects another body, offer or operation with the same key [D-40]", async () => {
    const key = newKey();
    const id = idOf(await create(key));
    await apply(id);
    expect((await create(key, { title: "Another" })).json()).toMatchObject(reused);
    // The same JSON value, encoded in different bytes.
    const body = JSON.stringify(input, undefined, 1);
    const headers = { "Content-Type": "application/json" };
    expect((await post("/offer", key, { body, headers })).json()).toMatchObject(reused);
    expect((await complete(id, key)).json()).toMatchObject(reused);
    expect(await read(id)).toMatchObject({ complete: false });
    expect(await offersTitled("Another")).toEqual([]);

    const other = idOf(await create(newKey()));
    await apply(other);
    const completion = newKey();
    expect((await complete(id, completion)).status).toBe(204);
    expect((await complete(other, completion)).json()).toMatchObject(reused);
    expect(await read(other)).toMatchObject({ complete: false });
  });

  test("is not used up by a rejected request", async () => {
    const key = newKey();
    expect((await create(key, { title: "" })).status).toBe(400);
    const created = await create(key);
    expect([created.status, replayed(created)]).toEqual([201, null]);

    const completion = newKey();
    expect((await complete(idOf(created), completion)).json()).toMatchObject({ code: "worker_not_applied" });
    await apply(idOf(created));
    const completed = await complete(idOf(created), completion);
    expect([completed.status, replayed(completed)]).toEqual([204, null]);
  });

  test("belongs to one organisation: others can use the same key", async () => {
    const key = newKey();
    const ours = await create(key);
    const json = { ...input, createdByUserId: "user_bo" };
    const theirs = await post("/offer", key, { key: "demo-key-bistro", json });
    expect([theirs.status, replayed(theirs)]).toEqual([201, null]);
    expect(idOf(theirs)).not.toBe(idOf(ours));
  });

  test("creates one offer for a hundred concurrent creations, and all get its id", async () => {
    const key = newKey();
    const responses = await Promise.all(Array.from({ length: 100 }, () => create(key, { title: "Rush" })));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(idOf)).size).toBe(1);
    expect(responses.filter((response) => replayed(response) === null)).toHaveLength(1);
    expect(await offersTitled("Rush")).toHaveLength(1);
  });

  test("rejects one of two different simultaneous creations", async () => {
    const key = newKey();
    const responses = await Promise.all([create(key, { title: "Left" }), create(key, { title: "Right" })]);
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 422]);
    expect([...(await offersTitled("Left")), ...(await offersTitled("Right"))]).toHaveLength(1);
  });

  test.each([
    ["empty", ""],
    ["too long", "k".repeat(256)],
    ["not ASCII", "schlüssel"],
    ["with a tab", "a\tb"],
  ])("gets 400 when it is %s", async (_, key) => {
    for (const response of [await create(key), await complete("unknown", key)])
      expect(response.json()).toMatchObject({
        status: 400,
        code: "invalid_request",
        errors: { "Idempotency-Key": [expect.any(String)] },
      });
  });

  test("gets 400 when it is sent twice, even with equal values", async () => {
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

  test("can have 255 characters, and is ignored on a read", async () => {
    const id = idOf(await create("k".repeat(255)));
    const options = { key: "demo-key-harbour", headers: { "Idempotency-Key": "" } };
    expect((await platform.call("GET", `/offer/${id}`, options)).status).toBe(200);
  });

  test("is kept for 24 hours, across restarts and even if the request would be rejected by now", async () => {
    const reopen = async (at: number) => {
      await platform.close();
      now = new Date(at);
      platform = await open();
    };
    const key = newKey();
    const madeAt = now.getTime();
    const start = new Date(madeAt + 1_000).toISOString();
    const changes = { events: [{ start, end: new Date(madeAt + 2_000).toISOString() }] };
    const first = await create(key, changes);
    await reopen(madeAt + dayMs - 1);
    const again = await create(key, changes);
    expect([again.text, replayed(again)]).toEqual([first.text, "true"]);

    // The key has expired, whether or not it has been removed.
    now = new Date(madeAt + dayMs);
    const late = await create(key, changes);
    expect(replayed(late)).toBe(null);
    // This counts as a new request, which is rejected because its event is in the past.
    expect(late.json()).toMatchObject({ status: 400, errors: { "events[0].start": [expect.any(String)] } });
  });
});
