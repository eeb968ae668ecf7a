import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openPlatform, type PlatformUnderTest } from "./platform-under-test.ts";
import { anyStore, type StorePlace } from "./stores.ts";

describe.each(await anyStore())("a worker's devices on $title", ({ createPlace }) => {
  let place: StorePlace;
  let platform: PlatformUnderTest;
  let [amal, ben]: string[] = [];
  beforeAll(async () => {
    place = await createPlace();
    platform = await openPlatform(place);
    [amal, ben] = await Promise.all(["worker_amal", "worker_ben"].map((id) => platform.signInWorker(id)));
  });
  afterAll(async () => {
    await platform.close();
    await place.remove();
  });

  const add = async (worker = "", json: object) => {
    const answer = await platform.call("POST", "/worker-app/devices", { token: worker, json });
    return { status: answer.status, ...answer.json<{ id: string; platform: string }>() };
  };

  test("a device may have a token of the push service, and the same token again is the same device", async () => {
    const first = await add(amal, { platform: "ios", token: "token-1" });
    expect(first).toEqual({ status: 201, id: expect.stringMatching(/^device_/), platform: "ios" });
    expect(await add(amal, { platform: "ios", token: "token-1" })).toEqual({ ...first, status: 200 });
    expect((await add(amal, { platform: "ios" })).status).toBe(201);
  });

  test("many at once with one token are one device", async () => {
    const added = await Promise.all(
      Array.from({ length: 10 }, () => add(amal, { platform: "android", token: "token-2" })),
    );
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    expect(added.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test("a phone that another worker signs in on is theirs alone", async () => {
    const first = await add(amal, { platform: "ios", token: "token-3" });
    const second = await add(ben, { platform: "ios", token: "token-3" });
    expect(second.status).toBe(201);
    expect(second.id).not.toBe(first.id);
    // And back again: the first device has lost the token.
    expect((await add(amal, { platform: "ios", token: "token-3" })).status).toBe(201);
  });

  test.each(["", "with space", "ünïcode", "x".repeat(4_097)])("a token that is none is refused: %#", async (token) => {
    const answer = await platform.call("POST", "/worker-app/devices", {
      token: amal ?? "",
      json: { platform: "ios", token },
    });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ errors: { token: [expect.any(String)] } });
  });
});
