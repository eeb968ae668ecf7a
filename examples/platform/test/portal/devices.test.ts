import { beforeAll, describe, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { anyStore } from "../support/stores/stores.ts";
import { usePageClient, usePlatform } from "../support/use-opened.ts";

describe.each(await anyStore())("worker devices on $title", ({ createDatabase }) => {
  const platform = usePlatform({ createDatabase });
  let [amalToken, benToken]: string[] = [];
  beforeAll(async () => {
    [amalToken, benToken] = await Promise.all(["worker_amal", "worker_ben"].map((id) => platform.signInWorker(id)));
  });

  const addDevice = async (workerToken = "", json: object) => {
    const response = await platform.call("POST", "/worker-app/devices", { token: workerToken, json });
    return { status: response.status, ...response.json<{ id: string; platform: string }>() };
  };

  test("a device may have a push token, and registering the same token again returns the same device", async () => {
    const first = await addDevice(amalToken, { platform: "ios", token: "token-1" });
    expect(first).toEqual({ status: 201, id: expect.stringMatching(/^device_/), platform: "ios" });
    expect(await addDevice(amalToken, { platform: "ios", token: "token-1" })).toEqual({ ...first, status: 200 });
    expect((await addDevice(amalToken, { platform: "ios" })).status).toBe(201);
  });

  test("many simultaneous requests with the same token register one device", async () => {
    const added = await Promise.all(
      Array.from({ length: 10 }, () => addDevice(amalToken, { platform: "android", token: "token-2" })),
    );
    expect(new Set(added.map(({ id }) => id)).size).toBe(1);
    expect(added.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  test("a push token moves to the worker who signs in on the phone [D-79]", async () => {
    const first = await addDevice(amalToken, { platform: "ios", token: "token-3" });
    const second = await addDevice(benToken, { platform: "ios", token: "token-3" });
    expect(second.status).toBe(201);
    expect(second.id).not.toBe(first.id);
    // The token moves back as a new device, because the first device no longer exists.
    expect((await addDevice(amalToken, { platform: "ios", token: "token-3" })).status).toBe(201);
  });

  interface ListedDevice {
    id: string;
    platform: string;
    hasToken: boolean;
    registeredAt: string;
  }
  const listDevices = async (workerToken = "") =>
    (await platform.call("GET", "/worker-app/devices", { token: workerToken })).json<{ devices: ListedDevice[] }>()
      .devices;
  const removeDevice = (workerToken = "", id = "") =>
    platform.call("DELETE", `/worker-app/devices/${id}`, { token: workerToken });

  test("a device whose token another worker registers is listed only for that worker", async () => {
    const { id } = await addDevice(amalToken, { platform: "ios", token: "token-4" });
    const moved = await addDevice(benToken, { platform: "android", token: "token-4" });
    expect((await listDevices(amalToken)).map((device) => device.id)).not.toContain(id);
    expect((await listDevices(benToken)).filter((device) => device.id === moved.id)).toEqual([
      { id: moved.id, platform: "android", hasToken: true, registeredAt: expect.stringMatching(/Z$/) },
    ]);
    expect(JSON.stringify(await listDevices(benToken))).not.toContain("token-4");
  });

  test("two workers who register the same token simultaneously both get 201, but only one of them keeps the device", async () => {
    for (let round = 0; round < 10; round += 1) {
      const registrations = [amalToken, benToken].map((workerToken) =>
        addDevice(workerToken, { platform: "ios", token: `token-5-${round}` }),
      );
      const added = await Promise.all(registrations);
      expect(added.map(({ status }) => status)).toEqual([201, 201]);
      const ids = new Set(added.map(({ id }) => id));
      const listedDevices = [...(await listDevices(amalToken)), ...(await listDevices(benToken))].filter(({ id }) =>
        ids.has(id),
      );
      expect(listedDevices).toHaveLength(1);
    }
  });

  test("a worker has at most twenty devices, and a new device replaces the one registered longest ago [D-91]", async () => {
    const first = await addDevice(amalToken, { platform: "ios", token: "token-6" });
    for (let number = 0; number < 19; number += 1) await addDevice(amalToken, { platform: "ios" });
    expect(await listDevices(amalToken)).toHaveLength(20);
    // The device is in use, because its app has just registered it again.
    expect(await addDevice(amalToken, { platform: "ios", token: "token-6" })).toMatchObject({
      status: 200,
      id: first.id,
    });
    const devices = await listDevices(amalToken);
    const { id } = await addDevice(amalToken, { platform: "android" });
    expect((await listDevices(amalToken)).map((device) => device.id)).toEqual([
      id,
      ...devices.slice(0, 19).map((device) => device.id),
    ]);
    expect(devices[0]?.id).toBe(first.id);
    await Promise.all(Array.from({ length: 10 }, () => addDevice(amalToken, { platform: "ios" })));
    expect(await listDevices(amalToken)).toHaveLength(20);
  });

  test("a device can be removed only by its own worker [D-91]", async () => {
    const { id } = await addDevice(amalToken, { platform: "ios", token: "token-7" });
    const rejected = await removeDevice(benToken, id);
    expect(rejected.json()).toMatchObject({ status: 404, code: "device_not_found" });
    expect((await listDevices(amalToken)).map((device) => device.id)).toContain(id);
    const removed = await removeDevice(amalToken, id);
    expect([removed.status, removed.text]).toEqual([204, ""]);
    expect((await listDevices(amalToken)).map((device) => device.id)).not.toContain(id);
    expect((await removeDevice(amalToken, id)).status).toBe(404);
    expect((await removeDevice(amalToken, "%00")).status).toBe(404);
    // The token can be registered again.
    expect((await addDevice(benToken, { platform: "ios", token: "token-7" })).status).toBe(201);
  });

  test("the menu still shows the notifications of removed devices, and shows later offers too", async () => {
    const { id } = await addDevice(benToken, { platform: "ios" });
    const createOffer = async (title: string) => {
      const json = { createdByUserId: "user_hana", title, workerIds: ["worker_ben"] };
      expect((await platform.call("POST", "/offer", { key: "demo-key-harbour", json })).status).toBe(201);
    };
    const readOfferTitles = async () =>
      (await platform.call("GET", "/worker-app/notifications", { token: benToken ?? "" }))
        .json<{ notifications: { offerTitle: string }[] }>()
        .notifications.map(({ offerTitle }) => offerTitle);
    await createOffer("Before");
    expect((await removeDevice(benToken, id)).status).toBe(204);
    for (const device of await listDevices(benToken))
      expect((await removeDevice(benToken, device.id)).status).toBe(204);
    await createOffer("After");
    await eventually("both offers are on the menu", async () => (await readOfferTitles()).length === 2);
    expect((await readOfferTitles()).sort()).toEqual(["After", "Before"]);
  });

  describe("on the page", () => {
    const client = usePageClient(platform, "worker_cleo", "/app/sign-in");

    test("devices are listed and removed with a plain form", async () => {
      const cleoToken = await platform.signInWorker("worker_cleo");
      for (const { id } of await listDevices(cleoToken)) await removeDevice(cleoToken, id);
      expect((await client.get("/app/devices")).text).toContain("No device is registered");
      const phone = await addDevice(cleoToken, { platform: "ios", token: "token-8" });
      const tablet = await addDevice(cleoToken, { platform: "android" });
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
      expect((await listDevices(cleoToken)).map(({ id }) => id)).toEqual([tablet.id]);
    });

    test("another worker's device cannot be removed on the page", async () => {
      const { id } = await addDevice(amalToken, { platform: "ios" });
      expect((await client.send(`/app/devices/${id}/remove`)).status).toBe(404);
      expect((await listDevices(amalToken)).map((device) => device.id)).toContain(id);
      expect((await client.get("/app/devices")).text).not.toContain(id);
    });
  });

  test("many simultaneous registrations of one token by two workers all succeed", async () => {
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        addDevice(index % 2 ? amalToken : benToken, { platform: "ios", token: "token-9" }),
      ),
    );
    for (const { status } of added) expect([200, 201]).toContain(status);
  });

  test.each(["", "with space", "ünïcode", "x".repeat(4_097)])(
    "a device with an invalid token is rejected: %#",
    async (token) => {
      const response = await platform.call("POST", "/worker-app/devices", {
        token: amalToken ?? "",
        json: { platform: "ios", token },
      });
      expect(response.status).toBe(400);
      expect(response.json()).toMatchObject({ errors: { token: [expect.any(String)] } });
    },
  );
});
