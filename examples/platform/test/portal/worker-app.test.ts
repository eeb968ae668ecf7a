import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { type CallOptions, openPlatform, type PlatformUnderTest } from "../support/platform-under-test.ts";
import { readEvents } from "../support/read-events.ts";
import { anyStore, type TestDatabase } from "../support/stores/stores.ts";

describe.each(await anyStore())("the worker app on $title", ({ createDatabase }) => {
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
  const callAs = async (workerId: string, method: string, path: string, options: CallOptions = {}) =>
    platform.call(method, `/worker-app${path}`, { ...options, token: await platform.signInWorker(workerId) });
  type MenuEntry = { id: number; offerId: string; reason: string };
  const readMenu = async (workerId: string) =>
    (await callAs(workerId, "GET", "/notifications")).json<{ notifications: MenuEntry[] }>().notifications;
  const openStreamAs = async (workerId: string, lastEventId?: string) => {
    const token = await platform.signInWorker(workerId);
    return readEvents(`${platform.address}/worker-app/notifications/stream`, token, lastEventId);
  };

  test("the worker app requires a worker's session", async () => {
    const personToken = await platform.signInPerson("hana@harbour-hotels.example");
    for (const [method, path] of [
      ["POST", "/devices"],
      ["POST", "/contacts"],
      ["GET", "/notifications"],
      ["GET", "/notifications/stream"],
      ["GET", "/offers/x"],
      ["POST", "/offers/x/apply"],
    ] as const)
      for (const credentials of [{}, { key }, { token: personToken }]) {
        const response = await platform.call(method, `/worker-app${path}`, credentials);
        expect(response.json()).toMatchObject({ status: 401, code: "unauthenticated" });
      }
    const wrongPassword = { json: { workerId: "worker_amal", password: "wrong-password" } };
    expect((await platform.call("POST", "/worker-app/session", wrongPassword)).json()).toMatchObject({
      code: "invalid_credentials",
    });
  });

  test("the worker app shows an offer to its workers, without the other recipients", async () => {
    const id = await createOffer("worker_amal", "worker_ben");
    const response = await callAs("worker_amal", "GET", `/offers/${id}`);
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

  test("an unknown offer, or an offer that was sent only to other workers, gets 404 [D-36]", async () => {
    const id = await createOffer("worker_amal");
    for (const offerId of [id, "unknown", "%00"])
      for (const [method, action] of [
        ["GET", ""],
        ["POST", "/open"],
        ["POST", "/apply"],
        ["POST", "/reject"],
        ["POST", "/close"],
      ] as const)
        expect((await callAs("worker_dana", method, `/offers/${offerId}${action}`)).json()).toMatchObject({
          status: 404,
          code: "offer_not_found",
        });
  });

  test("the worker's latest response counts until the offer is complete", async () => {
    const id = await createOffer("worker_amal", "worker_ben");
    for (const action of ["open", "reject", "close", "open", "apply"])
      expect((await callAs("worker_amal", "POST", `/offers/${id}/${action}`)).status).toBe(204);
    expect((await callAs("worker_amal", "GET", `/offers/${id}`)).json()).toMatchObject({ response: "applied" });
    await platform.call("POST", `/offer/${id}/complete?api-version=1.0`, { key, json: ["worker_amal"] });
    expect((await callAs("worker_amal", "GET", `/offers/${id}`)).json()).toMatchObject({
      complete: true,
      successful: true,
    });
    expect((await callAs("worker_ben", "GET", `/offers/${id}`)).json()).toMatchObject({
      complete: true,
      successful: false,
    });
    expect((await callAs("worker_amal", "POST", `/offers/${id}/reject`)).json()).toMatchObject({
      code: "offer_completed",
    });
  });

  test("the menu lists each notification once, newest first, even if the worker has several devices [D-48]", async () => {
    for (const platformName of ["ios", "android"])
      expect((await callAs("worker_cleo", "POST", "/devices", { json: { platform: platformName } })).status).toBe(201);
    const id = await createOffer("worker_cleo");
    await callAs("worker_cleo", "POST", `/offers/${id}/apply`);
    await platform.call("POST", `/offer/${id}/complete?api-version=1.0`, { key, json: ["worker_cleo"] });
    await platform.call("GET", `/offer/${id}/withdraw`, { key });
    await eventually("all notifications are on the menu", async () => (await readMenu("worker_cleo")).length === 3);
    const entry = { offerId: id, offerTitle: "Bar on Sunday", id: expect.any(Number), createdAt: expect.any(String) };
    expect(await readMenu("worker_cleo")).toEqual([
      { ...entry, reason: "withdrawn", successful: null },
      { ...entry, reason: "successful", successful: true },
      { ...entry, reason: "offer", successful: null },
    ]);
  });

  test.each([{ platform: "windows" }, {}, { platform: "ios", extra: 1 }])(
    "the invalid device %o gets 400 [interface: Overview 1c]",
    async (json) => expect((await callAs("worker_cleo", "POST", "/devices", { json })).status).toBe(400),
  );

  test("the stream sends notifications, and resumes after the last id", async () => {
    const first = await createOffer("worker_dana");
    const firstStream = await openStreamAs("worker_dana");
    expect(firstStream.headers.get("content-type")).toMatch(/^text\/event-stream/);
    await eventually("the first offer arrives", () => firstStream.events.length === 1);
    const second = await createOffer("worker_dana");
    await eventually("the second offer arrives", () => firstStream.events.length === 2);
    firstStream.disconnect();
    await firstStream.ended;

    const third = await createOffer("worker_dana");
    const secondStream = await openStreamAs("worker_dana", firstStream.events[0]?.id);
    await eventually("the missed offers arrive", () => secondStream.events.length === 2);
    await platform.call("GET", `/offer/${first}/withdraw`, { key });
    await eventually("the withdrawal arrives", () => secondStream.events.length === 3);
    secondStream.disconnect();
    await secondStream.ended;

    const received = [...firstStream.events.slice(0, 1), ...secondStream.events];
    expect(received.map(({ data }) => [data.offerId, data.reason])).toEqual([
      [first, "offer"],
      [second, "offer"],
      [third, "offer"],
      [first, "withdrawn"],
    ]);
    const ids = received.map(({ id }) => Number(id));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
    expect(received.map(({ data }) => data.id)).toEqual((await readMenu("worker_dana")).map(({ id }) => id).reverse());
  });

  test("signing out ends only that session's stream [D-56]", async () => {
    const signIn = async () => {
      const json = { workerId: "worker_cleo", password: "demo-password" };
      return (await platform.call("POST", "/worker-app/session", { json })).json<{ token: string }>().token;
    };
    const openStream = (token: string) => readEvents(`${platform.address}/worker-app/notifications/stream`, token);
    const [firstToken, secondToken] = [await signIn(), await signIn()];
    const [endedStream, remainingStream] = [await openStream(firstToken), await openStream(secondToken)];
    await platform.call("DELETE", "/portal/session", { token: firstToken });
    await platform.call("DELETE", "/worker-app/session", { token: firstToken });
    await endedStream.ended;
    const id = await createOffer("worker_cleo");
    await eventually("the other stream receives the offer", () =>
      remainingStream.events.some(({ data }) => data.offerId === id),
    );
    expect(endedStream.events.some(({ data }) => data.offerId === id)).toBe(false);

    remainingStream.disconnect();
    await remainingStream.ended;
  });

  test("a stream sends only the worker's own notifications, and ends when the platform stops", async () => {
    const stream = await openStreamAs("worker_ben", "unknown");
    const menuLength = (await readMenu("worker_ben")).length;
    await createOffer("worker_amal");
    const benOfferId = await createOffer("worker_ben");
    await eventually("Ben's offer arrives", () => stream.events.some(({ data }) => data.offerId === benOfferId));
    expect(stream.events).toHaveLength(menuLength + 1);
    await platform.close();
    await stream.ended;
    platform = await openPlatform(database);
    expect((await readMenu("worker_ben")).at(0)).toMatchObject({ offerId: benOfferId });
  });
});
