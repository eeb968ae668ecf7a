import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type CallOptions, openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { readEvents } from "../support/read-events.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

describe.each(await anyStore())("the worker's app on $title", ({ createDatabase }) => {
  let database: TestDatabase;
  let platform: PlatformUnderTest;
  beforeAll(async () => {
    database = await createDatabase();
    platform = await openPlatform(database);
  });
  afterAll(async () => {
    await platform.close();
    await database.remove();
  });

  const key = "demo-key-harbour";
  const createOffer = async (...workerIds: string[]): Promise<string> => {
    const json = { createdByUserId: "user_hana", title: "Bar on Sunday", details: "Beer.", workerIds };
    return (await platform.call("POST", "/offer", { key, json })).json<{ id: string }>().id;
  };
  const as = async (workerId: string, method: string, path: string, options: CallOptions = {}) =>
    platform.call(method, `/worker-app${path}`, { ...options, token: await platform.signInWorker(workerId) });
  type MenuEntry = { id: number; offerId: string; reason: string };
  const menuOf = async (workerId: string) =>
    (await as(workerId, "GET", "/notifications")).json<{ notifications: MenuEntry[] }>().notifications;
  const streamOf = async (workerId: string, lastEventId?: string) => {
    const token = await platform.signInWorker(workerId);
    return readEvents(`${platform.address}/worker-app/notifications/stream`, token, lastEventId);
  };

  test("requires a worker's session", async () => {
    const person = await platform.signInPerson("hana@harbour-hotels.example");
    for (const [method, path] of [
      ["POST", "/devices"],
      ["POST", "/contacts"],
      ["GET", "/notifications"],
      ["GET", "/notifications/stream"],
      ["GET", "/offers/x"],
      ["POST", "/offers/x/apply"],
    ] as const)
      for (const credentials of [{}, { key }, { token: person }]) {
        const response = await platform.call(method, `/worker-app${path}`, credentials);
        expect(response.json()).toMatchObject({ status: 401, code: "unauthenticated" });
      }
    const wrong = { json: { workerId: "worker_amal", password: "wrong-password" } };
    expect((await platform.call("POST", "/worker-app/session", wrong)).json()).toMatchObject({
      code: "invalid_credentials",
    });
  });

  test("shows an offer to its workers, without the other recipients", async () => {
    const id = await createOffer("worker_amal", "worker_ben");
    const response = await as("worker_amal", "GET", `/offers/${id}`);
    expect(response.json()).toEqual({
      id,
      organisation: { id: "org_harbour", name: "Harbour Hotels" },
      title: "Bar on Sunday",
      details: "Beer.",
      locationPlaceId: "",
      placeName: "",
      events: [],
      isHistoric: false,
      widthdrawn: false,
      complete: false,
      response: "none",
      successful: null,
    });
    expect(response.text).not.toContain("worker_ben");
  });

  test("gets 404 for an unknown offer or one to other workers [D-36]", async () => {
    const id = await createOffer("worker_amal");
    for (const offerId of [id, "unknown", "%00"])
      for (const [method, action] of [
        ["GET", ""],
        ["POST", "/open"],
        ["POST", "/apply"],
        ["POST", "/reject"],
        ["POST", "/close"],
      ] as const)
        expect((await as("worker_dana", method, `/offers/${offerId}${action}`)).json()).toMatchObject({
          status: 404,
          code: "offer_not_found",
        });
  });

  test("counts the latest response until the offer is complete", async () => {
    const id = await createOffer("worker_amal", "worker_ben");
    for (const action of ["open", "reject", "close", "open", "apply"])
      expect((await as("worker_amal", "POST", `/offers/${id}/${action}`)).status).toBe(204);
    expect((await as("worker_amal", "GET", `/offers/${id}`)).json()).toMatchObject({ response: "applied" });
    await platform.call("POST", `/offer/${id}/complete?api-version=1.0`, { key, json: ["worker_amal"] });
    expect((await as("worker_amal", "GET", `/offers/${id}`)).json()).toMatchObject({
      complete: true,
      successful: true,
    });
    expect((await as("worker_ben", "GET", `/offers/${id}`)).json()).toMatchObject({
      complete: true,
      successful: false,
    });
    expect((await as("worker_amal", "POST", `/offers/${id}/reject`)).json()).toMatchObject({ code: "offer_completed" });
  });

  test("lists each notification once, newest first, however many devices there are [D-48]", async () => {
    for (const platformName of ["ios", "android"])
      expect((await as("worker_cleo", "POST", "/devices", { json: { platform: platformName } })).status).toBe(201);
    const id = await createOffer("worker_cleo");
    await as("worker_cleo", "POST", `/offers/${id}/apply`);
    await platform.call("POST", `/offer/${id}/complete?api-version=1.0`, { key, json: ["worker_cleo"] });
    await platform.call("GET", `/offer/${id}/withdraw`, { key });
    await eventually("all notifications are there", async () => (await menuOf("worker_cleo")).length === 3);
    const entry = { offerId: id, offerTitle: "Bar on Sunday", id: expect.any(Number), createdAt: expect.any(String) };
    expect(await menuOf("worker_cleo")).toEqual([
      { ...entry, reason: "withdrawn", successful: null },
      { ...entry, reason: "successful", successful: true },
      { ...entry, reason: "offer", successful: null },
    ]);
  });

  test.each([{ platform: "windows" }, {}, { platform: "ios", extra: 1 }])(
    "rejects a device %o with 400 [interface: Overview 1c]",
    async (json) => expect((await as("worker_cleo", "POST", "/devices", { json })).status).toBe(400),
  );

  test("streams notifications, and resumes after the last id", async () => {
    const first = await createOffer("worker_dana");
    const before = await streamOf("worker_dana");
    expect(before.headers.get("content-type")).toMatch(/^text\/event-stream/);
    await eventually("the first offer is there", () => before.events.length === 1);
    const second = await createOffer("worker_dana");
    await eventually("the second one follows", () => before.events.length === 2);
    before.disconnect();
    await before.ended;

    const third = await createOffer("worker_dana");
    const after = await streamOf("worker_dana", before.events[0]?.id);
    await eventually("what was missed is there", () => after.events.length === 2);
    await platform.call("GET", `/offer/${first}/withdraw`, { key });
    await eventually("and what happens now", () => after.events.length === 3);
    after.disconnect();
    await after.ended;

    const seen = [...before.events.slice(0, 1), ...after.events];
    expect(seen.map(({ data }) => [data.offerId, data.reason])).toEqual([
      [first, "offer"],
      [second, "offer"],
      [third, "offer"],
      [first, "withdrawn"],
    ]);
    const ids = seen.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((one, other) => one - other));
    expect(seen.map(({ data }) => data.id)).toEqual((await menuOf("worker_dana")).map(({ id }) => id).reverse());
  });

  test("ends a stream when its session is signed out, and keeps the others open [D-56]", async () => {
    const signIn = async () => {
      const json = { workerId: "worker_cleo", password: "demo-password" };
      return (await platform.call("POST", "/worker-app/session", { json })).json<{ token: string }>().token;
    };
    const open = (token: string) => readEvents(`${platform.address}/worker-app/notifications/stream`, token);
    const [first, second] = [await signIn(), await signIn()];
    const [one, other] = [await open(first), await open(second)];
    await platform.call("DELETE", "/portal/session", { token: first });
    await platform.call("DELETE", "/worker-app/session", { token: first });
    await one.ended;
    const id = await createOffer("worker_cleo");
    await eventually("the other one hears", () => other.events.some(({ data }) => data.offerId === id));
    expect(one.events.some(({ data }) => data.offerId === id)).toBe(false);

    other.disconnect();
    await other.ended;
  });

  test("streams only to one worker, and ends when the platform stops", async () => {
    const stream = await streamOf("worker_ben", "unknown");
    const known = (await menuOf("worker_ben")).length;
    await createOffer("worker_amal");
    const mine = await createOffer("worker_ben");
    await eventually("mine is there", () => stream.events.some(({ data }) => data.offerId === mine));
    expect(stream.events).toHaveLength(known + 1);
    await platform.close();
    await stream.ended;
    platform = await openPlatform(database);
    expect((await menuOf("worker_ben")).at(0)).toMatchObject({ offerId: mine });
  });
});
