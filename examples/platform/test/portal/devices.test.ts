import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePageClient, usePlatform } from "../support/use-opened.ts";

describe.each(await anyStore())("a worker's devices on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  let [amal, ben]: string[] = [];
  beforeAll(async () => {
    [amal, ben] = await Promise.all(["worker_amal", "worker_ben"].map((id) => platform.signInWorker(id)));
  });

  const add = async (worker = "", json: object) => {
    const response = await platform.call("POST", "/worker-app/devices", { token: worker, json });
    return { status: response.status, ...response.json<{ id: string; platform: string }>() };
  };

  test("may have a push token, and registering the same token again returns the same device", async () => {
    const first = await add(amal, { platform: "ios", token: "token-1" });
    expect(first).toEqual({ status: 201, id: expect.stringMatching(/^device_/), platform: "ios" });
    expect(await add(amal, { platform: "ios", token: "token-1" })).toEqual({ ...first, status: 200 });
    expect((await add(amal, { platform: "ios" })).status).toBe(201);
  });

  test("register once when many simultaneous requests have the same token", async () => {
    const added = await Promise.all(
      Array.from({ length: 10 }, () => add(amal, { platform: "android", token: "token-2" })),
    );
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    expect(added.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test("move to the worker who signs in on the phone [D-79]", async () => {
    const first = await add(amal, { platform: "ios", token: "token-3" });
    const second = await add(ben, { platform: "ios", token: "token-3" });
    expect(second.status).toBe(201);
    expect(second.id).not.toBe(first.id);
    // The token moves back as a new device, because the first device has lost it.
    expect((await add(amal, { platform: "ios", token: "token-3" })).status).toBe(201);
  });

  interface ListedDevice {
    id: string;
    platform: string;
    hasToken: boolean;
    registeredAt: string;
  }
  const list = async (worker = "") =>
    (await platform.call("GET", "/worker-app/devices", { token: worker })).json<{ devices: ListedDevice[] }>().devices;
  const remove = (worker = "", id = "") => platform.call("DELETE", `/worker-app/devices/${id}`, { token: worker });

  test("move to another worker who registers the same token, and are on one list only", async () => {
    const { id } = await add(amal, { platform: "ios", token: "token-4" });
    const moved = await add(ben, { platform: "android", token: "token-4" });
    expect((await list(amal)).map((device) => device.id)).not.toContain(id);
    expect((await list(ben)).filter((device) => device.id === moved.id)).toEqual([
      { id: moved.id, platform: "android", hasToken: true, registeredAt: expect.stringMatching(/Z$/) },
    ]);
    expect(JSON.stringify(await list(ben))).not.toContain("token-4");
  });

  test("go to one of two workers who register the same token at the same time, and both get a device", async () => {
    for (let round = 0; round < 10; round += 1) {
      const both = [amal, ben].map((worker) => add(worker, { platform: "ios", token: `token-5-${round}` }));
      const added = await Promise.all(both);
      expect(added.map(({ status }) => status)).toEqual([201, 201]);
      const ids = new Set(added.map(({ id }) => id));
      const kept = [...(await list(amal)), ...(await list(ben))].filter(({ id }) => ids.has(id));
      expect(kept).toHaveLength(1);
    }
  });

  test("are at most twenty: a new one replaces the one registered longest ago [D-91]", async () => {
    const first = await add(amal, { platform: "ios", token: "token-6" });
    for (let number = 0; number < 19; number += 1) await add(amal, { platform: "ios" });
    expect(await list(amal)).toHaveLength(20);
    // The device is in use, because its app has just registered it again.
    expect(await add(amal, { platform: "ios", token: "token-6" })).toMatchObject({ status: 200, id: first.id });
    const devices = await list(amal);
    const { id } = await add(amal, { platform: "android" });
    expect((await list(amal)).map((device) => device.id)).toEqual([
      id,
      ...devices.slice(0, 19).map((device) => device.id),
    ]);
    expect(devices[0]?.id).toBe(first.id);
    await Promise.all(Array.from({ length: 10 }, () => add(amal, { platform: "ios" })));
    expect(await list(amal)).toHaveLength(20);
  });

  test("can be removed only by their own worker [D-91]", async () => {
    const { id } = await add(amal, { platform: "ios", token: "token-7" });
    const foreign = await remove(ben, id);
    expect(foreign.json()).toMatchObject({ status: 404, code: "device_not_found" });
    expect((await list(amal)).map((device) => device.id)).toContain(id);
    const removed = await remove(amal, id);
    expect([removed.status, removed.text]).toEqual([204, ""]);
    expect((await list(amal)).map((device) => device.id)).not.toContain(id);
    expect((await remove(amal, id)).status).toBe(404);
    expect((await remove(amal, "%00")).status).toBe(404);
    // The token can be registered again.
    expect((await add(ben, { platform: "ios", token: "token-7" })).status).toBe(201);
  });

  test("leave their notifications on the menu when they are removed, and later offers appear there too", async () => {
    const { id } = await add(ben, { platform: "ios" });
    const offer = async (title: string) => {
      const json = { createdByUserId: "user_hana", title, workerIds: ["worker_ben"] };
      expect((await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).status).toBe(201);
    };
    const menu = async () =>
      (await platform.call("GET", "/worker-app/notifications", { token: ben ?? "" }))
        .json<{ notifications: { offerTitle: string }[] }>()
        .notifications.map(({ offerTitle }) => offerTitle);
    await offer("Before");
    expect((await remove(ben, id)).status).toBe(204);
    for (const device of await list(ben)) expect((await remove(ben, device.id)).status).toBe(204);
    await offer("After");
    await eventually("both are there", async () => (await menu()).length === 2);
    expect((await menu()).sort()).toEqual(["After", "Before"]);
  });

  describe("on the page", () => {
    const client = usePageClient(platform, "worker_cleo", "/app/sign-in");

    test("are listed and removed with a plain form", async () => {
      const cleo = await platform.signInWorker("worker_cleo");
      for (const { id } of await list(cleo)) await remove(cleo, id);
      expect((await client.get("/app/devices")).text).toContain("No device is registered");
      const phone = await add(cleo, { platform: "ios", token: "token-8" });
      const tablet = await add(cleo, { platform: "android" });
      const { text } = await client.get("/app/devices");
      expect([...text.matchAll(/action="\/app\/devices\/([^"/]+)\/remove"/g)].map(([, id]) => id)).toEqual([
        tablet.id,
        phone.id,
      ]);
      for (const word of ["iPhone or iPad", "Android"]) expect(text).toContain(word);
      expect(text).not.toContain("token-8");
      const removed = await client.send(`/app/devices/${phone.id}/remove`);
      expect([removed.status, removed.location]).toEqual([303, "/app/devices"]);
      expect((await client.get("/app/devices")).text).toContain("was removed");
      expect((await list(cleo)).map(({ id }) => id)).toEqual([tablet.id]);
    });

    test("are not found when they belong to another worker", async () => {
      const { id } = await add(amal, { platform: "ios" });
      expect((await client.send(`/app/devices/${id}/remove`)).status).toBe(404);
      expect((await list(amal)).map((device) => device.id)).toContain(id);
      expect((await client.get("/app/devices")).text).not.toContain(id);
    });
  });

  test("go to one of several workers who register the same token simultaneously", async () => {
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, index) => add(index % 2 ? amal : ben, { platform: "ios", token: "token-9" })),
    );
    for (const { status } of added) expect([200, 201]).toContain(status);
  });

  test.each(["", "with space", "ünïcode", "x".repeat(4_097)])(
    "are rejected with an invalid token: %#",
    async (token) => {
      const response = await platform.call("POST", "/worker-app/devices", {
        token: amal ?? "",
        json: { platform: "ios", token },
      });
      expect(response.status).toBe(400);
      expect(response.json()).toMatchObject({ errors: { token: [expect.any(String)] } });
    },
  );
});
